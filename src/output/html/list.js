// list.js: numbers as a table: the 20 largest of a map, or of the chosen token.

const LISTED = 20;

function tableOf(caption, names, rows) {
    const table = make("table", {}, make("caption", {}, ...caption));
    table.append(make("thead", {}, make("tr", {}, ...names.map(name => make("th", {scope: "col"}, name)))),
                 make("tbody", {}, ...rows));
    return table;
}

function rowOf(cells, chosen, onclick) {
    const row = make("tr", chosen ? {"aria-current": "true"} : {});
    for (const cell of cells)
        row.append(typeof cell === "string" ? make("td", {class: "number"}, cell) : make("td", {}, ...cell));
    row.onclick = onclick;
    return row;
}

function showList() {
    const text = theText(), chosen = state.query >= 0, side = state.side;
    const cells = largestCells(map, (query, key) => !chosen || (side === "query" ? query === state.query
                                                                                 : key === state.key), LISTED);
    const caption = [`${cells.length} largest ${meta.value}s`];
    if (chosen)
        caption.push(side === "query" ? " of query " : " of key ",
                     ...nameToken(side === "query" ? text.queries : text.keys, state[side]));
    const rows = cells.map(cell => rowOf([nameToken(text.queries, cell.query), nameToken(text.keys, cell.key),
                                          decimalsOf(cell.value, meta.decimals)],
                                         chosen && cell.query === state.query && cell.key === state.key,
                                         () => chooseCell(cell.query, cell.key)));
    $("view").replaceChildren(tableOf(caption, ["query", "key", meta.value], rows));
}
