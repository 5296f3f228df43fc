// heads.js: a page of numbers of heads: the grid is colored by one of their columns; beside it stand all columns of the
// chosen head, and the heads with the largest numbers of that column.

const theColumn = () => meta.table[state.column];
const cellOf = (head, column = state.column) => head.cells[column];
const sizeOf = head => typeof cellOf(head) === "number" ? Math.abs(cellOf(head)) : 0;
const largestOfColumn = () => theText().heads.reduce((most, head) => Math.max(most, sizeOf(head)), 0);

// A cell as the table prints it; numbers that JSON does not have stand there as words.
const cellText = (cell, column) => cell === null ? "" : typeof cell !== "number" ? String(cell)
                                 : column.range === "none" && Number.isInteger(cell) ? String(cell)
                                                                                      : decimalsOf(cell, meta.decimals);

function paintNumbers() {
    const {range} = theColumn(), largest = largestOfColumn(), palette = paletteFor(range);
    theText().heads.forEach((head, i) => {
        const element = headElementOf(i), cell = cellOf(head);
        if (typeof cell !== "number")
            return;
        const color = palette[pixelOf(range, shareOf(range, state.shade, cell, largest, largest))];
        element.style.background = `rgb(${color})`;
        element.style.color = letterOn(color);
        element.textContent = chooser.size >= 34 ? decimalsOf(cell, largest < 10 ? 2 : largest < 100 ? 1 : 0) : "";
        element.setAttribute("aria-label", `${headTitle(head)}: ${theColumn().name} ${cellText(cell, theColumn())}`);
    });
}

function sayHead(before = headTitle(theHead())) {
    say(`${before}: ${theColumn().name} ${cellText(cellOf(theHead()), theColumn())}`);
}

function chooseColumn(column) {
    state.column = column;
    $("column").value = String(column);
    buildHeads();
    sayHead();
    writeAddress();
    show();
}

function showNumbers() {
    const head = theHead(), column = theColumn();
    const own = meta.table.map((c, i) => rowOf([[c.name], cellText(head.cells[i], c)], i === state.column,
                                               () => c.range === "none" || chooseColumn(i)));
    const largest = theText().heads.map((h, index) => ({h, index})).filter(({h}) => typeof cellOf(h) === "number")
        .sort((a, b) => sizeOf(b.h) - sizeOf(a.h) || a.index - b.index).slice(0, LISTED);
    const others = largest.map(({h, index}) => rowOf([[headTitle(h)], cellText(cellOf(h), column)],
                                                     index === state.head, () => chooseHead(index)));
    $("view").setAttribute("role", "group");
    $("view").setAttribute("aria-label", `numbers of head ${headName(head)}`);
    $("view").replaceChildren(make("div", {class: "tables"}, tableOf(["this head"], ["number", ""], own),
                                   tableOf([`the ${largest.length} largest`], ["head", column.name], others)));
    const most = state.shade === "row" || column.range !== "unit" || state.shade === "max"
        ? decimalsOf(largestOfColumn(), meta.decimals) : "1";
    $("legend").replaceChildren(`${column.name}: `, ...legendOf(column.range, most));
}

const ranged = () => meta.table.flatMap((column, i) => column.range === "none" ? [] : [i]);

function beginNumbers() {
    state.column = ranged()[0];
    $("column").append(...ranged().map(i => make("option", {value: i}, meta.table[i].name)));
    $("column").onchange = () => chooseColumn(Number($("column").value));
    $("column-bar").hidden = ranged().length < 2;
}

kinds.heads = {
    bars: ["shade-bar", "column-bar"],
    begin: beginNumbers,
    startColumn: () => ranged()[0],
    load: () => true,
    say: sayHead,
    show: showNumbers,
    paintHeads: paintNumbers,
    headSize: most => Math.max(24, Math.min(50, most)),
    keys: {
        "c": () => chooseColumn(cycle(ranged(), state.column)),
        "s": () => chooseShade(cycle(SHADES, state.shade)),
    },
};
