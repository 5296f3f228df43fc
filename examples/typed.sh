# typed.sh: what article.sh and ko/article.sh share: a text told paragraph by paragraph, with commands that are shown as
# one would type them and then run. $ATTN is the program, else attn of PATH, else ../attn of a build. At a terminal each
# paragraph waits for Enter. $pictures, a folder made by the caller's first lines, gets the pictures; empty: none are drawn.
attn=${ATTN:-$(command -v attn || echo "${0%/*}/../attn")}
case $attn in */*) attn=$(cd "${attn%/*}" && pwd)/${attn##*/} ;; esac

# Shows the text of standard input; before it, but at the start, waits.
tell() {
    if [ -n "${told:-}" ] && [ -t 0 ] && [ -t 1 ]; then
        printf '\n[Enter]'
        read -r answer </dev/tty || exit 0
    elif [ -n "${told:-}" ]; then
        echo
    fi
    told=yes
    cat
}

# Shows attn with these arguments as one would type it: words with other than plain characters in quotes.
show() {
    printf '\n$ attn'
    for word in "$@"; do
        case $word in
        *[!A-Za-z0-9_./,=-]*) printf " '%s'" "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
    echo
}

# Shows it and runs it.
try() {
    show "$@"
    "$attn" "$@"
}

# The picture NAME of these arguments: shown likewise, and drawn where pictures are wanted.
draw() {
    name=$1
    shift
    show "$@" -f svg -o "$name"
    [ -z "$pictures" ] || "$attn" "$@" -f svg -o "$pictures/$name"
}
