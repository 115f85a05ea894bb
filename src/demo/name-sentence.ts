/** Declarations of many languages at the start of a line; the name is the last group. */
const DECLARATION =
  /^\s*(?:(?:export|public|protected|internal|static|async|pub(?:\([^)]*\))?|final|abstract|open|unsafe|inline|local)\s+)*(?:function\*?|fn|func|fun|def|class|interface|struct|trait)\s+(?:\([^)]*\)\s*)?(?:self\.)?([A-Za-z_]\w{3,})(?!\w|\s*\*|\s+\w+\()/;

/** Verbs that names begin with, as they stand in a sentence. */
const VERBS: ReadonlyMap<string, string> = new Map(
  `add adds|apply applies|assert asserts|build builds|call calls|check checks|clean cleans|clear clears|close closes
|collect collects|compare compares|compute computes|convert converts|copy copies|count counts|create creates|decode decodes
|delete deletes|draw draws|encode encodes|ensure ensures|execute executes|fetch fetches|filter filters|find finds|format formats
|generate generates|get gives|handle handles|init prepares|install installs|is tells whether it is|has tells whether it has
|list lists|load loads|log logs|make makes|merge merges|normalize normalizes|open opens|parse parses|prepare prepares|print prints
|process processes|push pushes|read reads|register registers|remove removes|render renders|reset resets|resolve resolves|run runs
|save saves|search searches|send sends|serialize serializes|set sets|show shows|sort sorts|start starts|stop stops|test tests
|update updates|use uses|validate validates|verify verifies|wait waits for|walk walks|wrap wraps|write writes`
    .replaceAll('\n', '')
    .split('|')
    .map((pair) => [pair.slice(0, pair.indexOf(' ')), pair.slice(pair.indexOf(' ') + 1)]),
);

/** Longer names, as tests have them, are sentences already. */
const MOST_WORDS = 3;

function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[\s_]+/)
    .filter((word) => word !== '')
    .map((word) => (/^[A-Z\d]{2,}$/.test(word) ? word : word.toLowerCase()));
}

/** A short description of what a line declares, from its name alone; null where it declares nothing that has one. */
export function declarationSentence(
  path: string,
  line: string,
): { readonly name: string; readonly text: string } | null {
  const name = DECLARATION.exec(line)?.[1];
  if (name === undefined || line.trimEnd().endsWith(';')) return null;
  const [first = '', ...rest] = wordsOf(name);
  if (rest.length > MOST_WORDS) return null;
  const verb = VERBS.get(first);
  if (verb === undefined || rest.length === 0) return noun(name, [first, ...rest]);
  const article =
    /s$|^(?:all|any|it|as|from|to|with|by|for|if)$/.test(rest[0] ?? '') || verb.includes('whether') ? '' : 'the ';
  const sentence = `${verb} ${article}${rest.join(' ')}.`;
  // Go's documentation begins each sentence with the name.
  const text = path.endsWith('.go') ? `${name} ${sentence}` : sentence.charAt(0).toUpperCase() + sentence.slice(1);
  return { name, text };
}

function noun(name: string, words: readonly string[]): { readonly name: string; readonly text: string } | null {
  return words.length < 2 ? null : { name, text: `The ${words.join(' ')}.` };
}
