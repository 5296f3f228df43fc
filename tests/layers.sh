#!/bin/sh
# Holds the layers: reads the #include lines of src/ and refuses one that points the wrong way, cJSON outside
# base/json*, printing or exiting outside cli/, and a source that is in no local.mk (and so in no release).
set -u
cd "${ATTN_SOURCE:-.}/src" || exit 1

allowed() { # the folders that folder $1 may include, itself apart
    case $1 in
    base) echo ;;
    tensor) echo base ;;
    kernels) echo tensor base ;;
    attention | text | formats) echo kernels tensor base ;;
    model) echo attention text formats kernels tensor base ;;
    output) echo base ;;
    report) echo output model attention text formats kernels tensor base ;;
    cli) echo report output model attention text formats kernels tensor base ;;
    esac
}

wrong=0
count=0
for folder in base tensor kernels attention text formats model output report cli; do
    for file in "$folder"/*.c "$folder"/*.h; do
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
if [ "$wrong" = 0 ]; then echo "$count passed, 0 failed, 0 skipped"; else echo "0 passed, $wrong failed, 0 skipped"; fi
[ "$wrong" = 0 ] && [ "$count" -gt 0 ]
