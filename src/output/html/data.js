// data.js: what the page holds, as numbers: maps unpacked, places on a scale of color, maps made smaller. Knows no
// document. The formulas are those of html_cells.h, color.c, png.c and pool.c.

// The bytes of a zlib stream in base64.
async function inflate(text) {
    const packed = atob(text), bytes = new Uint8Array(packed.length);
    for (let i = 0; i < bytes.length; i++)
        bytes[i] = packed.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Which cells are visible, [rows][columns] of 0 and 1, and how many.
function unpackMask(head, text, bytes) {
    const rows = text.queries.positions, columns = text.keys.positions;
    const visible = new Uint8Array(rows.length * columns.length);
    let count = 0, at = 0;
    for (let i = 0; i < rows.length; i++)
        for (let j = 0; j < columns.length; j++, at++) {
            visible[at] = head.mask === "none" ? 1
                        : head.mask === "causal" ? Number(columns[j] <= rows[i])
                                                 : bytes[at >> 3] >> (at & 7) & 1;
            count += visible[at];
        }
    return {visible, count};
}

// The numbers that COUNT codes of head.bytes bytes stand for: the highest byte of all of them, the next …
function unpackNumbers(head, format, bytes, count) {
    const codes = new Uint32Array(count), numbers = new Float64Array(count), unit = 10 ** -format.decimals;
    for (let byte = 0; byte < head.bytes; byte++)
        for (let i = 0; i < count; i++)
            codes[i] = codes[i] << 8 | bytes[byte * count + i];
    if (head.floats)
        return Float64Array.from(new Float32Array(codes.buffer));
    for (let i = 0; i < count; i++) {
        const code = codes[i] + head.least, decimal = Math.floor(code / format.parts);
        const part = code - decimal * format.parts;
        numbers[i] = (decimal + (part + .5) / format.parts - .5) * unit;
    }
    return numbers;
}

// A map: {rows, columns, visible [rows][columns], values [rows][columns], largestOfRow [rows], largest}.
async function unpack(head, text, format, packed) {
    const bytes = await inflate(packed), rows = text.queries.positions.length, columns = text.keys.positions.length;
    const {visible, count} = unpackMask(head, text, bytes);
    const skipped = head.mask === "bits" ? Math.ceil(visible.length / 8) : 0;
    const numbers = unpackNumbers(head, format, bytes.subarray(skipped), count);
    const values = new Float64Array(visible.length);
    for (let i = 0, at = 0; i < visible.length; i++)
        if (visible[i])
            values[i] = numbers[at++];
    return measure({rows, columns, visible, values});
}

// Adds the largest sizes, of the map and of each row: what colors go by.
function measure(map) {
    map.largestOfRow = new Float64Array(map.rows);
    for (let i = 0, at = 0; i < map.rows; i++)
        for (let j = 0; j < map.columns; j++, at++) {
            const size = Math.abs(map.values[at]);
            if (map.visible[at] && size > map.largestOfRow[i] && size < Infinity)
                map.largestOfRow[i] = size;
        }
    map.largest = map.largestOfRow.reduce((a, b) => Math.max(a, b), 0);
    return map;
}

// How far a value is on its scale: 0…1, signed −1…1.
function shareOf(range, shade, value, largestOfRow, largest) {
    const full = shade === "row" ? largestOfRow : range === "unit" && shade !== "max" ? 1 : largest;
    if (!(full > 0) || Number.isNaN(value))
        return 0;
    let share = Math.min(1, Math.abs(value) / full);
    if (shade === "sqrt")
        share = Math.sqrt(share);
    return value >= 0 ? share : range === "signed" ? -share : 0;
}

// A share as a pixel, 1…255; 0 is left for what is masked.
function pixelOf(range, share) {
    const place = range === "signed" ? (share + 1) / 2 : share;
    return 1 + Math.round(Math.max(0, Math.min(1, place)) * 254);
}

// The color of each pixel, [256] of [red, green, blue], of a scale that is linear between its colors.
function paletteOf(scale) {
    const palette = [[0, 0, 0]];
    for (let pixel = 1; pixel < 256; pixel++) {
        const place = (pixel - 1) / 254 * (scale.length - 1), low = Math.min(scale.length - 2, Math.floor(place));
        palette.push(scale[low].map((c, i) => Math.round(c + (scale[low + 1][i] - c) * (place - low))));
    }
    return palette;
}

// White on dark, black on light, whichever has the greater contrast (WCAG 2).
function letterOn(color) {
    const light = color.map(c => c / 255).map(c => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4);
    return .2126 * light[0] + .7152 * light[1] + .0722 * light[2] < .179 ? "#fff" : "#000";
}

// A map of which each cell is the largest of a square of BLOCK cells a side, its sign kept: means lose a diagonal.
function pool(map, block) {
    const rows = Math.ceil(map.rows / block), columns = Math.ceil(map.columns / block);
    const visible = new Uint8Array(rows * columns), values = new Float64Array(rows * columns);
    for (let i = 0, at = 0; i < map.rows; i++)
        for (let j = 0; j < map.columns; j++, at++) {
            const to = Math.floor(i / block) * columns + Math.floor(j / block);
            if (map.visible[at] && (!visible[to] || isLarger(map.values[at], values[to]))) {
                visible[to] = 1;
                values[to] = map.values[at];
            }
        }
    return measure({rows, columns, visible, values});
}

// NaN is larger than any.
function isLarger(a, b) {
    return Number.isNaN(b) ? false : Number.isNaN(a) || Math.abs(a) > Math.abs(b);
}

// The pixels of a map, [rows][columns].
function pixelsOf(map, range, shade) {
    const pixels = new Uint8Array(map.visible.length);
    for (let at = 0; at < pixels.length; at++)
        if (map.visible[at])
            pixels[at] = pixelOf(range, shareOf(range, shade, map.values[at],
                                                map.largestOfRow[Math.floor(at / map.columns)], map.largest));
    return pixels;
}

// The pixels of thumbnails are pooled as they are: the largest, of signed ones the furthest from the middle.
function poolPixels(pixels, rows, columns, block, range) {
    const size = pixel => range === "signed" ? Math.abs(pixel - 128) : pixel;
    const across = Math.ceil(columns / block), out = new Uint8Array(Math.ceil(rows / block) * across);
    for (let i = 0; i < rows; i++)
        for (let j = 0; j < columns; j++) {
            const to = Math.floor(i / block) * across + Math.floor(j / block), pixel = pixels[i * columns + j];
            if (pixel && (!out[to] || size(pixel) > size(out[to])))
                out[to] = pixel;
        }
    return out;
}

// The cells of a map that are visible and for which FITS holds, the N largest by size, ties by place.
function largestCells(map, fits, n) {
    const cells = [];
    for (let i = 0, at = 0; i < map.rows; i++)
        for (let j = 0; j < map.columns; j++, at++)
            if (map.visible[at] && fits(i, j) && !Number.isNaN(map.values[at])) {
                const size = Math.abs(map.values[at]);
                if (cells.length === n && !(size > cells[n - 1].size))
                    continue;
                let place = cells.length;
                while (place > 0 && size > cells[place - 1].size)
                    place--;
                cells.splice(place, 0, {query: i, key: j, value: map.values[at], size});
                cells.length = Math.min(cells.length, n);
            }
    return cells;
}

// As the table prints it: what rounds to 0 has no sign.
function decimalsOf(value, decimals) {
    const text = value.toFixed(decimals);
    if (Number.isFinite(value))
        return Number(text) === 0 ? text.replace("-", "") : text;
    return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

// The tokens in which WHAT stands, whatever its case; ␣ is a space.
function findTokens(labels, what) {
    const plain = text => text.replaceAll("␣", " ").toLowerCase(), needle = plain(what);
    return needle === "" ? [] : labels.flatMap((label, i) => plain(label).includes(needle) ? [i] : []);
}
