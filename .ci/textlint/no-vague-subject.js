'use strict';
// A sentence of a document names its actor. Headings and the header rows of tables have no sentences.

// at the beginning of a text, or behind the end of another sentence: quotes and brackets may stand between
const VAGUE = /(?:^|[.!?:]["'”’)]*\s)[\s"'“‘(]*(?<word>What|Who|Whoever|Whatever|Such)(?![\w-])/dg;
// a point in the middle of a word, as in a number, ends nothing
const END = /[.!?](?=["'”’)]*(?:\s|$))/g;

const WORDS = { Str: (node) => node.raw, Break: () => '\n', Html: () => '' };
const OTHER = () => '\uFFFC'; // code and images: one character each

// a text without its markup, with the place of each character in the document
function plain(node, text = { words: '', places: [] }) {
  if (node.children) {
    node.children.forEach((child) => plain(child, text));
  } else {
    const words = (WORDS[node.type] ?? OTHER)(node);
    text.words += words;
    for (let at = 0; at < words.length; at++) text.places.push(node.range[0] + at);
  }
  return text;
}

function isQuestion(words, from) {
  END.lastIndex = from;
  return END.exec(words)?.[0] === '?';
}

module.exports = ({ Syntax, RuleError, report, locator }) => {
  function check(node) {
    const { words, places } = plain(node);
    for (const { groups, indices } of words.matchAll(VAGUE)) {
      const [from] = indices.groups.word;
      if (isQuestion(words, from)) continue;
      const padding = locator.at(places[from] - node.range[0]);
      report(node, new RuleError(`A sentence names its actor: it does not begin with '${groups.word}'`, { padding }));
    }
  }
  return {
    [Syntax.Paragraph]: check,
    [Syntax.TableCell](node) {
      const row = node.parent;
      if (row !== row.parent.children[0]) check(node);
    },
  };
};
