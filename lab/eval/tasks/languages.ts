import type { EvalTask } from './task.ts';
import { calls, edit, edits, reads, says, text, write } from './writing.ts';

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

const BACKUP_SH = text`
  #!/bin/sh
  set -eu
  target=$1
  mkdir -p $target
  for file in "$HOME"/notes/*.txt; do
    cp $file $target/
  done
  rm -rf $target/tmp
`;

export const SHELL: EvalTask = {
  name: 'shell',
  about: 'variables without quotes in a shell script',
  base: { 'README.md': '# Backup\n' },
  pull: { title: 'Add a backup', files: { 'backup.sh': BACKUP_SH } },
  task: '/countersign The script breaks with spaces in names, and `rm -rf $target/tmp` is dangerous. Quote all variables; keep the rest.',
  grader: {
    mayChange: ['backup.sh'],
    check: ({ after }) => {
      const lines = (after['backup.sh'] ?? '').split('\n').map((line) => line.trim());
      const wanted: readonly RegExp[] = [
        /^#!\/bin\/sh$/,
        /^set -eu$/,
        /^target=("?)\$\{?1\}?\1$/,
        /^mkdir -p (?:-- )?"\$\{?target\}?"$/,
        /^for file in "\$\{?HOME\}?"\/notes\/\*\.txt; do$/,
        /^cp (?:-- )?"\$\{?file\}?" (?:"\$\{?target\}?"\/|"\$\{?target\}?\/")$/,
        /^done$/,
        /^rm -rf (?:-- )?(?:"\$\{?target(?::\?[^}]*)?\}?"\/tmp|"\$\{?target(?::\?[^}]*)?\}?\/tmp")$/,
      ];
      return wanted
        .filter((pattern) => !lines.some((line) => pattern.test(line)))
        .map((pattern) => `no line like ${pattern}`);
    },
  },
  solution: [
    reads('backup.sh'),
    calls(
      edits(
        'backup.sh',
        ['target=$1', 'target="$1"'],
        ['mkdir -p $target', 'mkdir -p "$target"'],
        ['cp $file $target/', 'cp "$file" "$target"/'],
        ['rm -rf $target/tmp', 'rm -rf "$target"/tmp'],
      ),
    ),
    says('All variables are quoted.'),
  ],
  mistakes: {
    'one forgotten': [calls(edit('backup.sh', 'rm -rf $target/tmp', 'rm -rf "$target"/tmp')), says('Done.')],
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
