import { parse } from 'yaml';
import type { EvalTask } from './task.ts';
import { calls, edit, nodePackage, reads, says, text } from './writing.ts';

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

const CHANGELOG = text`
  # Changelog

  ## [Unreleased]

  ### Added

  - Search by tag (#41)

  ### Fixed

  - Notes with emoji are saved (#39)

  ## [2.0.0] - 2024-03-01

  ### Fixed

  - Sorting by date (#30)
`;

export const CHANGELOG_ENTRY: EvalTask = {
  name: 'changelog-entry',
  about: 'one line at the right one of two similar places',
  base: { 'CHANGELOG.md': CHANGELOG },
  pull: { title: 'Keep the cursor where it is', files: { 'src/editor.css': '.note { caret-color: auto; }\n' } },
  task: '/countersign Add to the changelog, as the last fix that is not released yet: "The cursor stays where it is (#44)".',
  grader: {
    mayChange: ['CHANGELOG.md'],
    check: ({ after }) => {
      const line = '- Notes with emoji are saved (#39)\n';
      const wanted = CHANGELOG.replace(line, `${line}- The cursor stays where it is (#44)\n`);
      return after['CHANGELOG.md'] === wanted ? [] : ['the line is not exactly where it should be'];
    },
  },
  solution: [
    reads('CHANGELOG.md'),
    calls(edit('CHANGELOG.md', 'are saved (#39)\n', 'are saved (#39)\n- The cursor stays where it is (#44)\n')),
    says('The fix is in the changelog.'),
  ],
  mistakes: {
    'in the released version': [
      calls(edit('CHANGELOG.md', 'by date (#30)\n', 'by date (#30)\n- The cursor stays where it is (#44)\n')),
      says('Done.'),
    ],
  },
};

const PACKAGE_JSON = text`
  {
      "name": "@acme/parser",
      "version": "3.1.0",
      "engines": { "node": ">=18" },
      "files": ["dist"],
      "dependencies": {
          "left-pad": "^1.3.0",
          "semver": "^7.6.0"
      }
  }
`;

export const PACKAGE_ENGINES: EvalTask = {
  name: 'package-engines',
  about: 'two values in a JSON file with a layout of its own',
  base: { 'package.json': PACKAGE_JSON },
  pull: { title: 'Explain the parser', files: { 'README.md': '# Parser\n\nParses versions.\n' } },
  task: '/countersign Require Node 22 or newer and drop `left-pad`, which nothing uses. Leave the rest of the file as it is, its layout too.',
  grader: {
    mayChange: ['package.json'],
    check: ({ after }) => {
      const wanted = PACKAGE_JSON.replace('>=18', '>=22').replace('        "left-pad": "^1.3.0",\n', '');
      return after['package.json'] === wanted ? [] : ['package.json is not exactly what was asked for'];
    },
  },
  solution: [
    reads('package.json'),
    calls(edit('package.json', '">=18"', '">=22"'), edit('package.json', '        "left-pad": "^1.3.0",\n', '')),
    says('Both values are changed.'),
  ],
  mistakes: {
    'a new layout': [
      calls({
        name: 'edit_file',
        arguments: {
          path: 'package.json',
          old_string: PACKAGE_JSON,
          new_string:
            '{\n  "name": "@acme/parser",\n  "version": "3.1.0",\n  "engines": { "node": ">=22" },\n  "files": ["dist"],\n  "dependencies": { "semver": "^7.6.0" }\n}\n',
        },
      }),
      says('Done.'),
    ],
  },
};

export const WORKFLOW_MATRIX: EvalTask = {
  name: 'workflow-matrix',
  about: 'a YAML file of CI, with comments that stay',
  base: {
    'package.json': nodePackage('parser'),
    'ci/pipeline.yml': text`
      # Runs on every push. Ask the platform team before you add a runner.
      jobs:
        test:
          strategy:
            matrix:
              node: [18, 20]   # the oldest one is what customers have
              os: [linux]
          timeout-minutes: 10
          steps:
            - run: npm ci
            - run: npm test
        lint:
          timeout-minutes: 10
          steps:
            - run: npm run lint
    `,
  },
  pull: { title: 'Describe the pipeline', files: { 'docs/ci.md': '# CI\n\nSee `ci/pipeline.yml`.\n' } },
  task: '/countersign Run the tests on Node 22 as well, and let the test job take 20 minutes at most. The lint job stays.',
  grader: {
    mayChange: ['ci/pipeline.yml'],
    contains: { 'ci/pipeline.yml': [/# Runs on every push\./, /# the oldest one is what customers have/] },
    check: ({ after }) => {
      const wanted = {
        jobs: {
          test: {
            strategy: { matrix: { node: [18, 20, 22], os: ['linux'] } },
            'timeout-minutes': 20,
            steps: [{ run: 'npm ci' }, { run: 'npm test' }],
          },
          lint: { 'timeout-minutes': 10, steps: [{ run: 'npm run lint' }] },
        },
      };
      const got = JSON.stringify(parse(after['ci/pipeline.yml'] ?? ''));
      return got === JSON.stringify(wanted) ? [] : [`ci/pipeline.yml means ${got}`];
    },
  },
  solution: [
    reads('ci/pipeline.yml'),
    calls(
      edit('ci/pipeline.yml', '[18, 20]', '[18, 20, 22]'),
      edit(
        'ci/pipeline.yml',
        '        os: [linux]\n    timeout-minutes: 10',
        '        os: [linux]\n    timeout-minutes: 20',
      ),
    ),
    says('The tests run on Node 22 as well and have 20 minutes.'),
  ],
  mistakes: {
    'both jobs': [
      calls(edit('ci/pipeline.yml', '[18, 20]', '[18, 20, 22]'), {
        name: 'edit_file',
        arguments: { path: 'ci/pipeline.yml', old_string: 'minutes: 10', new_string: 'minutes: 20', replace_all: true },
      }),
      says('Done.'),
    ],
  },
};
