// steps.js: a page of steps: of the chosen head, or of a layer, what holds for all queries, and each query's steps as a
// part that opens.

let part = 0; // the chosen one

const partTitle = ({query, token}) => query === null ? ["all tokens"] : ["query ", tokenElement(token), ` (${query})`];

function partElement(shown, index) {
    const element = make("details", {}, make("summary", {}, ...partTitle(shown)), make("pre", {}, shown.lines));
    element.open = shown.query === null || index === part;
    element.ontoggle = () => {
        if (element.open && shown.query !== null)
            part = index;
    };
    return element;
}

function showSteps() {
    $("view").setAttribute("role", "group");
    $("view").setAttribute("aria-label", `steps of ${headTitle(theHead())}`);
    $("view").replaceChildren(...theHead().parts.map(partElement));
    $("legend").replaceChildren(theHead().facts);
}

function choosePart(index) {
    part = index;
    showSteps();
    say(...partTitle(theHead().parts[part]));
    $("view").children[part]?.scrollIntoView({block: "nearest"});
}

// The last query's is open at first.
function lastPart() {
    part = Math.max(0, theHead().parts.length - 1);
    return true;
}

kinds.steps = {
    bars: [],
    begin: () => $("heads").setAttribute("aria-label", "layers and heads; arrow keys choose one"),
    load: lastPart,
    say: before => say(`${before}: ${theHead().facts}`),
    show: showSteps,
    paintHeads: () => {},
    headSize: () => 28,
    move: ([step], far) => theHead().parts.length > 0 && choosePart(within(part + step * far, theHead().parts.length)),
    keys: {},
};
