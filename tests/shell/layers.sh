# Files of these folders form layers: none call each other in a circle.
for folder in isa asm vt tools; do
    BUILD=$VENTUS_BUILD "$VENTUS_SOURCE/scripts/cycles.sh" $folder || exit 1
done
