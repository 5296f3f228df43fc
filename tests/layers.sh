#!/bin/sh
# Holds the layers: reads the #include lines of src/ and refuses one that points the wrong way, cJSON outside
# base/json*, printing or exiting outside cli/, a source that is in no local.mk (and so in no release), and a
# name that means two things (two headers called alike, a struct, an enum or one of its constants defined twice), and
# code that knows a report or a format by its name: what others must know of it stands in its row.
set -u
cd "${ATTN_SOURCE:-.}/src" || exit 1

rooms='base tensor kernels attention text formats model load pass output report cli'

allowed() { # the rooms that room $1 may include, itself apart
    below='kernels tensor base'
    case $1 in
    base) echo ;;
    tensor) echo base ;;
    kernels) echo tensor base ;;
    attention | text | formats) echo "$below" ;;
    model) echo attention text formats "$below" ;;
    load | pass) echo model attention text formats "$below" ;;
    output) echo base ;;
    report) echo output load pass model attention text formats "$below" ;;
    cli) echo report output load pass model attention text formats "$below" ;;
    esac
}

# The structs, enums and enum constants that the files define: one a line, those of a .c only when they begin with
# attn_ (what is local to a file may be called state in each).
names='
    FNR == 1 { inside = comment = 0 }
    {
        line = $0
        gsub(/\/\*([^*]|\*[^\/])*\*\//, "", line)
        if (comment) { if (sub(/.*\*\//, "", line)) comment = 0; else next }
        if (sub(/\/\*.*/, "", line)) comment = 1
    }
    match(line, /(struct|enum) [a-z_0-9]+ *\{/) { split(substr(line, RSTART, RLENGTH), word, "[ {]+"); note(word[2]) }
    line ~ /^(typedef |static )?enum[a-z_0-9 ]*\{/ { inside = 1; sub(/.*enum[a-z_0-9 ]*\{/, "", line) }
    inside {
        last = sub(/\}.*/, "", line)
        n = split(line, constant, ",")
        for (i = 1; i <= n; i++)
            if (match(constant[i], /[A-Za-z_][A-Za-z_0-9]*/))
                note(substr(constant[i], RSTART, RLENGTH))
        inside = !last
    }
    function note(name) { if (FILENAME ~ /\.h$/ || tolower(name) ~ /^attn_/) print name }'

wrong=0
count=0
for folder in $rooms; do
    for file in $(find "$folder" -name '*.[ch]' | sort); do
        [ -f "$file" ] || continue
        count=$((count + 1))
        for target in $(sed -n 's|^#include "\([a-z]*\)/.*|\1|p' "$file" | sort -u); do
            case " $folder $(allowed "$folder") " in
            *" $target "*) ;;
            *) echo "src/$file includes $target/: not allowed in $folder/"; wrong=$((wrong + 1)) ;;
            esac
        done
        grep -q "src/$file" "$folder/local.mk" ||
            { echo "src/$file is not in src/$folder/local.mk"; wrong=$((wrong + 1)); }
        case $file in
        *.c) [ "$(sed -n 's/^#include *//p' "$file" | head -1)" = '"config.h"' ] ||
            { echo "src/$file: config.h is not the first include"; wrong=$((wrong + 1)); } ;;
        esac
        if grep -q '#include <cjson' "$file"; then
            case $file in base/json*) ;; *) echo "src/$file includes cJSON"; wrong=$((wrong + 1)) ;; esac
        fi
        if grep -nE '(^|[^_a-z])(printf|fprintf|puts|exit|abort|perror) *\(' "$file" >/dev/null; then
            case $file in cli/*) ;; *) echo "src/$file prints or exits"; wrong=$((wrong + 1)) ;; esac
        fi
    done
done
known=0
for row in 'output/attn_output' 'report/attn_report_kind' 'formats/attn_format'; do
    for file in $(grep -lE "^const ${row#*/} " "${row%/*}"/*.c); do
        for name in $(sed -n "/^const ${row#*/} /,/^}/s/.*\.name = \"\([^\"]*\)\".*/\1/p" "$file"); do
            known=$((known + 1))
            found=$(find output report cli pass load formats main.c -name '*.[ch]' ! -path "$file" -exec \
                grep -nE "(cmp|_are|_find) *\(.*\"$name\"" /dev/null {} +)
            [ -z "$found" ] || { echo "the name '$name' is known outside src/$file: $found"; wrong=$((wrong + 1)); }
        done
    done
done
[ "$known" -gt 18 ] || { echo "only $known reports and formats found: their rows look otherwise"; wrong=$((wrong + 1)); }
for name in $(find . -name '*.h' | sed 's|.*/||' | sort | uniq -d); do
    echo "more than one header is called $name"; wrong=$((wrong + 1))
done
for name in $(find . -name '*.[ch]' | sort | xargs awk "$names" | sort | uniq -d); do
    echo "$name is defined more than once in src/"; wrong=$((wrong + 1))
done
if [ "$wrong" = 0 ]; then echo "$count passed, 0 failed, 0 skipped"; else echo "0 passed, $wrong failed, 0 skipped"; fi
[ "$wrong" = 0 ] && [ "$count" -gt 0 ]
