// A folder whose name begins with `@` is a folder, not a file of arguments, even when this text is that file.
//! options -I@/dev/stdin -I @nowhere -DPLACE=@
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

//! run at global=1
//! arg out char[2] -> {64, 0}
kernel void at(global char *out)
{
    constant char *text = TEXT(PLACE);
    out[0] = text[0];
    out[1] = text[1];
}
