import type { EvalTask } from './task.ts';
import { calls, edit, edits, nodePackage, reads, says, text, write } from './writing.ts';

const BASKET_PY = text`
  class Basket:
      """Things that somebody wants to buy."""

      def __init__(self, items=[]):
          self.items = items

      def add(self, item):
          self.items.append(item)
`;

export const PYTHON: EvalTask = {
  name: 'python',
  about: 'a mutable default argument',
  base: { 'pyproject.toml': '[project]\nname = "shop"\nversion = "0.3.0"\n' },
  pull: { title: 'Add baskets', files: { 'shop/basket.py': BASKET_PY } },
  task: '/countersign New baskets share their items. Fix that with `items=None` as the default; a list that is given should be copied.',
  grader: {
    mayChange: ['shop/basket.py', 'tests/'],
    contains: {
      'shop/basket.py': [
        /def __init__\(self, items=None\):/,
        /^ {4,}.*(?:list\(items(?: or (?:\[\]|\(\)))?\)|items\.copy\(\)|items\[:\]|\[\*items\])/m,
        /^ {8}self\.items\.append\(item\)$/m,
      ],
    },
    lacks: { 'shop/basket.py': [/items=\[\]/, /self\.items = items$/m, /\t/] },
  },
  solution: [
    reads('shop/basket.py'),
    calls(
      edits(
        'shop/basket.py',
        ['items=[]', 'items=None'],
        ['self.items = items', 'self.items = [] if items is None else list(items)'],
      ),
    ),
    says('Each basket has a list of its own.'),
  ],
  mistakes: { 'not copied': [calls(edit('shop/basket.py', 'items=[]', 'items=None')), says('Done.')] },
};

export const SQL: EvalTask = {
  name: 'sql',
  about: 'the next migration, in the form of those before',
  base: {
    'db/0001-notes.sql':
      '-- up\nCREATE TABLE notes (id BIGINT PRIMARY KEY, author BIGINT NOT NULL);\n\n-- down\nDROP TABLE notes;\n',
    'db/0002-tags.sql':
      '-- up\nALTER TABLE notes ADD COLUMN tag TEXT;\n\n-- down\nALTER TABLE notes DROP COLUMN tag;\n',
  },
  pull: {
    title: 'Explain migrations',
    files: { 'db/README.md': '# Migrations\n\nNever change one that is released; add the next number.\n' },
  },
  task: '/countersign Searching notes by author is slow. Add a migration with an index named notes_author.',
  grader: {
    mayChange: ['db/'],
    check: ({ before, after }) => {
      const added = Object.keys(after).filter((path) => !Object.hasOwn(before, path));
      const kept = Object.keys(before).filter((path) => path.endsWith('.sql') && after[path] === before[path]);
      const [path = ''] = added;
      const form =
        /^-- up\nCREATE INDEX (?:CONCURRENTLY )?(?:IF NOT EXISTS )?notes_author ON notes (?:USING btree )?\(author\);\n\n-- down\nDROP INDEX (?:CONCURRENTLY )?(?:IF EXISTS )?notes_author;\n$/i;
      return [
        ...(added.length === 1 && /^db\/0003-[a-z0-9-]+\.sql$/.test(path) ? [] : [`new files: ${added.join(', ')}`]),
        ...(form.test(after[path] ?? '') ? [] : ['the migration has another form']),
        ...(kept.length === 2 ? [] : ['a released migration was changed']),
      ];
    },
  },
  solution: [
    reads('db/0001-notes.sql', 'db/0002-tags.sql', 'db/README.md'),
    calls(
      write(
        'db/0003-notes-author.sql',
        '-- up\nCREATE INDEX notes_author ON notes (author);\n\n-- down\nDROP INDEX notes_author;\n',
      ),
    ),
    says('The third migration adds the index.'),
  ],
  mistakes: {
    'a released one changed': [
      calls(
        edit(
          'db/0002-tags.sql',
          'ADD COLUMN tag TEXT;',
          'ADD COLUMN tag TEXT;\nCREATE INDEX notes_author ON notes (author);',
        ),
      ),
      says('Done.'),
    ],
  },
};

const FORM_HTML = text`
  <form action="/join" method="post">
    <h2>Join</h2>
    <p>Name <input id="name" name="name"></p>
    <p>Mail <input id="mail" name="mail" type="text"></p>
    <img src="/seal.png">
    <div class="button" onclick="this.closest('form').submit()">Send</div>
  </form>
`;

export const SEVERAL_REGIONS: EvalTask = {
  name: 'several-regions',
  about: 'four places of one HTML page',
  base: { 'public/style.css': '.button { cursor: pointer; }\n' },
  pull: { title: 'Add a form', files: { 'public/join.html': FORM_HTML } },
  task: '/countersign Make the form accessible: a `<label>` with `for` around each of the two words, `type="email"` for the mail, an empty `alt` for the decorative image, and a real `<button>` (class "button", no onclick) instead of the div.',
  grader: {
    mayChange: ['public/join.html'],
    contains: {
      'public/join.html': [
        /<label for="name">\s*Name:?\s*<\/label>/,
        /<label for="mail">\s*Mail:?\s*<\/label>/,
        /<input(?=[^>]* id="mail")(?=[^>]* name="mail")(?=[^>]* type="email")[^>]*>/,
        /<input(?=[^>]* id="name")(?=[^>]* name="name")[^>]*>/,
        /<img(?=[^>]* src="\/seal\.png")(?=[^>]* alt(?:="")?[ />])[^>]*>/,
        /<button(?=[^>]* class="button")[^>]*>\s*Send\s*<\/button>/,
        /<h2>Join<\/h2>/,
      ],
    },
    lacks: { 'public/join.html': [/onclick/, /<div/] },
  },
  solution: [
    reads('public/join.html'),
    calls(
      edits(
        'public/join.html',
        ['Name <input', '<label for="name">Name</label> <input'],
        ['Mail <input', '<label for="mail">Mail</label> <input'],
        ['type="text"', 'type="email"'],
        ['<img src="/seal.png">', '<img src="/seal.png" alt="">'],
        [
          '<div class="button" onclick="this.closest(\'form\').submit()">Send</div>',
          '<button class="button">Send</button>',
        ],
      ),
    ),
    says('The form has labels, an email field, an empty alt and a button.'),
  ],
  mistakes: {
    'the button forgotten': [
      calls(edit('public/join.html', '<img src="/seal.png">', '<img src="/seal.png" alt="">')),
      says('Done.'),
    ],
  },
};

export const README_COMMAND: EvalTask = {
  name: 'readme-command',
  about: 'a README that names a script that does not exist',
  base: {
    'package.json': nodePackage('board', { scripts: { test: 'node --test', dev: 'node --watch src/main.js' } }),
    'src/main.js': "console.log('The board is at http://localhost:3000.');\n",
  },
  pull: {
    title: 'Explain how to start',
    files: {
      'README.md': text`
        # Board

        A board for sticky notes.

        ## Start

            npm install
            npm run serve

        Then open <http://localhost:8000>.
      `,
    },
  },
  task: '/countersign The steps under "Start" do not work. Correct them from what package.json and the code say; change only the README.',
  grader: {
    mayChange: ['README.md'],
    contains: { 'README.md': [/^ {4}npm install$/m, /npm run dev/, /localhost:3000/, /A board for sticky notes\./] },
    lacks: { 'README.md': [/npm run serve/, /8000/] },
  },
  solution: [
    reads('README.md', 'package.json', 'src/main.js'),
    calls(edit('README.md', 'npm run serve', 'npm run dev'), edit('README.md', 'localhost:8000', 'localhost:3000')),
    says('The README names the script and the port that exist.'),
  ],
  mistakes: { 'the script alone': [calls(edit('README.md', 'npm run serve', 'npm run dev')), says('Done.')] },
};
