# Completion for bash: the commands of `ventus`, and the options of each, from their help texts. Installed as
# share/bash-completion/completions/ventus; `. scripts/completion.bash` does for a build folder.
_ventus() {
    local ventus=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} words=
    if [ "$COMP_CWORD" = 1 ]; then
        words=$("$ventus" --help 2>/dev/null | sed -n '/^commands:/,/^$/s/^  \([a-z]*\).*/\1/p')
    elif [ "$previous" = --profile ]; then
        words=$("$ventus" as --help 2>/dev/null | sed -n 's/^ *--profile P.*: //p' | tr -d ,)
    elif [ "$COMP_CWORD ${COMP_WORDS[1]}" = "2 profile" ] && [[ $word != -* ]]; then
        words=diff
    elif [ "$COMP_CWORD ${COMP_WORDS[1]}" = "2 backend" ] && [[ $word != -* ]]; then
        words=build
    elif [[ $word == -* ]]; then
        words=$("$ventus" "${COMP_WORDS[1]}" --help 2>/dev/null | sed -n 's/^ *\(-[a-z], \)\{0,1\}\(--[a-z-]*\).*/\2/p')
    fi
    COMPREPLY=()
    local candidate
    for candidate in $words; do [[ $candidate != "$word"* ]] || COMPREPLY+=("$candidate"); done
    [ -n "$words" ] || mapfile -t COMPREPLY < <(compgen -f -- "$word")
}
complete -o filenames -F _ventus ventus
