import type { EvalTask } from './task.ts';
import { calls, edit, edits, reads, says, text } from './writing.ts';

/** A file must have exactly this content at the end. */
function exactly(path: string, wanted: string): EvalTask['grader'] {
  return {
    mayChange: [path],
    check: ({ after }) => (after[path] === wanted ? [] : [`${path} is ${JSON.stringify(after[path])}`]),
  };
}

const SETTINGS_INI = ['[mail]', 'host = mail.acme.test', 'port = 25', '', '[log]', 'level = info', ''].join('\r\n');

export const CRLF: EvalTask = {
  name: 'crlf',
  about: 'a file with CRLF line endings',
  base: { 'README.md': '# Mail settings\n' },
  pull: { title: 'Add the settings of the mail server', files: { 'settings.ini': SETTINGS_INI } },
  task: '/countersign Use port 587 in settings.ini, and add `tls = required` on a line below it.',
  grader: exactly('settings.ini', SETTINGS_INI.replace('port = 25', 'port = 587\r\ntls = required')),
  solution: [
    reads('settings.ini'),
    calls(edit('settings.ini', 'port = 25\n', 'port = 587\ntls = required\n')),
    says('The port is 587, with TLS.'),
  ],
  mistakes: { 'the port alone': [calls(edit('settings.ini', 'port = 25', 'port = 587')), says('Done.')] },
};

export const NO_FINAL_NEWLINE: EvalTask = {
  name: 'no-final-newline',
  about: 'a file that ends without a line break, and has to',
  base: {
    'README.md': '# Release\n\nA script compares `VERSION` byte for byte, so it has no line break at its end.\n',
  },
  pull: { title: 'Prepare a release', files: { VERSION: '4.0.9' } },
  task: '/countersign Set the version to 4.1.0. Mind what the README says about that file.',
  grader: exactly('VERSION', '4.1.0'),
  solution: [reads('VERSION', 'README.md'), calls(edit('VERSION', '4.0.9', '4.1.0')), says('The version is 4.1.0.')],
  mistakes: { 'with a line break': [calls(edit('VERSION', '4.0.9', '4.1.0\n')), says('Done.')] },
};

const POINTS_GO = [
  'package game',
  '',
  '// Points returns the points of a throw.',
  'func Points(pins []int) int {',
  '\tsum := 0',
  '\tfor _, pin := range pins {',
  '\t\tif pin > 0 {',
  '\t\t\tsum += pin',
  '\t\t}',
  '\t}',
  '\treturn sum',
  '}',
  '',
].join('\n');

export const TABS: EvalTask = {
  name: 'tabs',
  about: 'a Go file that is indented with tabs',
  base: { 'go.mod': 'module acme.test/game\n\ngo 1.22\n' },
  pull: { title: 'Count points', files: { 'points.go': POINTS_GO } },
  task: '/countersign In points.go a throw of more than 10 pins is a mistake of the counter: skip those pins as well, in the same condition, with `&&`.',
  grader: exactly('points.go', POINTS_GO.replace('if pin > 0 {', 'if pin > 0 && pin <= 10 {')),
  solution: [
    reads('points.go'),
    calls(edit('points.go', '\t\tif pin > 0 {\n', '\t\tif pin > 0 && pin <= 10 {\n')),
    says('Pins above 10 are skipped.'),
  ],
  mistakes: {
    'spaces for tabs': [
      calls(edit('points.go', '\t\tif pin > 0 {\n', '    if pin > 0 && pin <= 10 {\n')),
      says('Done.'),
    ],
  },
};

const GREETINGS = text`
  {
    "hello": "Grüß dich 👋🏽",
    "family": "👨‍👩‍👧 daheim",
    "cafe": "Café – offen",
    "price": "5 €"
  }
`;

export const EMOJI: EvalTask = {
  name: 'emoji',
  about: 'texts with emoji, joiners and combining characters',
  base: { 'README.md': '# Texts\n' },
  // The accent of "cafe" is a combining character, and the space before the euro sign does not break.
  pull: {
    title: 'Translate',
    files: { 'texts/de.json': GREETINGS.replace('Café', 'Cafe\u0301').replace('5 €', '5\u00a0€') },
  },
  task: '/countersign In texts/de.json, end `hello` with an exclamation mark before the emoji ("Grüß dich! …"), and raise the price to 6. Nothing else.',
  grader: exactly(
    'texts/de.json',
    GREETINGS.replace('Café', 'Cafe\u0301').replace('5 €', '6\u00a0€').replace('dich 👋', 'dich! 👋'),
  ),
  solution: [
    reads('texts/de.json'),
    calls(edit('texts/de.json', '"Grüß dich ', '"Grüß dich! '), edit('texts/de.json', '"price": "5', '"price": "6')),
    says('Both texts are changed.'),
  ],
  mistakes: {
    'another kind of space': [
      calls(edits('texts/de.json', ['"Grüß dich ', '"Grüß dich! '], ['"5\u00a0€"', '"6 €"'])),
      says('Done.'),
    ],
  },
};

const POEM = ['# The wind', '', 'It blows,  ', 'it goes,  ', 'and nobody knows', 'where too.', ''].join('\n');

export const TRAILING_SPACES: EvalTask = {
  name: 'trailing-spaces',
  about: 'spaces at the ends of lines that mean something',
  base: { 'README.md': '# Poems\n' },
  pull: { title: 'Add a poem', files: { 'poems/wind.md': POEM } },
  task: '/countersign Swap lines 4 and 5 of poems/wind.md, but keep Markdown’s hard line breaks (the two spaces) where they are: after lines 3 and 4, not after 5. And "where too" is a typo for "where to".',
  grader: exactly(
    'poems/wind.md',
    ['# The wind', '', 'It blows,  ', 'and nobody knows  ', 'it goes,', 'where to.', ''].join('\n'),
  ),
  solution: [
    reads('poems/wind.md'),
    calls(
      edit('poems/wind.md', 'it goes,  \nand nobody knows\nwhere too.\n', 'and nobody knows  \nit goes,\nwhere to.\n'),
    ),
    says('The lines are swapped, and the typo is gone.'),
  ],
  mistakes: {
    'the spaces went along': [
      calls(
        edit(
          'poems/wind.md',
          'it goes,  \nand nobody knows\nwhere too.\n',
          'and nobody knows\nit goes,  \nwhere to.\n',
        ),
      ),
      says('Done.'),
    ],
  },
};
