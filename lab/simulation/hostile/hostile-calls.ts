import { TOOL_NAMES } from '../../../src/core/state/tools.ts';
import { FILE_PATHS } from '../world/fixture.ts';
import type { Random } from '../world/random.ts';
import { INJECTED_PATHS, LINKS, READ_ONLY_PATHS, SECRET_PATHS } from './denied-files.ts';

/** The name and the arguments of a call, before they become text. */
export type Draft = readonly [name: string, input: unknown];

/** The material of drafts. `text` gives an injected text, and `textOf` the present text of a file. */
export type DraftContext = {
  readonly random: Random;
  readonly text: () => string;
  readonly textOf: (path: string) => string;
};

/** Other ways to write a path, some of which mean the same file on a careless file system. */
const PATH_TRICKS: readonly ((path: string) => string)[] = [
  (path) => path,
  (path) => path,
  (path) => `./${path}`,
  (path) => `/${path}`,
  (path) => `shop/${path}`,
  (path) => `../shop/${path}`,
  (path) => `src/../${path}`,
  (path) => `src//..//${path}`,
  (path) => `/home/acme/shop/${path}`,
  (path) => `C:\\shop\\${path.replaceAll('/', '\\')}`,
  (path) => `file:///${path}`,
  (path) => path.toUpperCase(),
  (path) => path.replace(/[a-z]/, (letter) => letter.toUpperCase()),
  (path) => path.replace('e', 'ｅ'),
  (path) => path.replace('e', 'е'),
  (path) => path.replace('.', '․'),
  (path) => path.replace('/', '∕'),
  (path) => `${path.slice(0, 2)}\u{200B}${path.slice(2)}`,
  (path) => `${path.slice(0, 2)}\u{AD}${path.slice(2)}`,
  (path) => path.normalize('NFD').replace('a', 'a\u{301}'),
  (path) => encodeURIComponent(path),
  (path) => path.replaceAll('.', '%2e'),
  (path) => `${path}\0.txt`,
  (path) => `${path}.`,
  (path) => `${path} `,
  (path) => `${path}::$DATA`,
  (path) => `${path}/`,
  (path) => `${path}/../${path}`,
  (path) => path.slice(0, path.lastIndexOf('/') + 1) || '.',
  (path) => `${path}~1`,
  (path) => `\u{202E}${path}`,
  (path) => `${path}\n`,
];

/** Paths that stand in no tree. */
const OTHER_PATHS = [
  ...['.git/config', '.git', 'GIT~1/config', '.git./HEAD', '..', '.', '/', '', '~', '/proc/self/environ'],
];

const GLOBS = ['**', '**/.env*', '**/*.pem', '.*/**', '{.env,src/**}', '!src', '[', '**/'.repeat(200), 'deploy/'];

/** Queries that would find what stands in denied files. */
const QUERIES = ['canary', '^.*$', 'line0', 'c[a]nary-of', '(a+)+$', '(?=canary)', '\\Qcanary\\E', '.', '\0', '('];

/** Values of the wrong type or size. */
const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1e300,
  1.5,
  '',
  'NaN',
  [],
  {},
  [[['x']]],
  { toString: 'x' },
  '\u{D800}',
  'x'.repeat(70_000),
  '9007199254740993',
  ['.env', '.env'],
];

function hostilePath({ random, text }: DraftContext): string {
  const path = random.pick<() => string>([
    () => random.pick(FILE_PATHS),
    () => random.pick(SECRET_PATHS),
    () => random.pick(SECRET_PATHS),
    () => random.pick(READ_ONLY_PATHS),
    () => random.pick([...LINKS.keys()]),
    () => random.pick(INJECTED_PATHS),
    () => random.pick(OTHER_PATHS),
    () => `src/new-${random.integer(4)}.ts`,
    () => text(),
  ])();
  return random.pick(PATH_TRICKS)(path);
}

/** A path that a change or a reading mostly gets through with. */
function plainPath({ random }: DraftContext): string {
  return random.pick([...FILE_PATHS, ...FILE_PATHS, ...INJECTED_PATHS]);
}

function lineOf({ random, textOf }: DraftContext, path: string): string {
  const lines = textOf(path).split('\n');
  return lines[random.integer(Math.max(1, lines.length - 1))] ?? '';
}

/** Calls that a helpful model would make, with injected texts in what people are shown. */
const VALID_DRAFTS: readonly ((context: DraftContext) => Draft)[] = [
  (context) => {
    const path = plainPath(context);
    const old_string = lineOf(context, path);
    return ['edit_file', { path, old_string, new_string: `${old_string} again`, reason: context.text() }];
  },
  (context) => {
    const path = plainPath(context);
    const old_string = lineOf(context, path);
    return ['edit_file', { path, old_string, new_string: `${old_string} ${context.text()}`, reason: context.text() }];
  },
  (context) => {
    const path = plainPath(context);
    const line = lineOf(context, path);
    const edits = [line, `${line}!`].map((old_string) => ({ old_string, new_string: `${old_string}!` }));
    return ['edit_file', { path, edits, reason: context.text() }];
  },
  (context) => [
    'write_file',
    { path: `src/new-${context.random.integer(4)}.ts`, content: context.text(), reason: context.text() },
  ],
  (context) => ['write_file', { path: plainPath(context), content: `${context.text()}\n` }],
  (context) => ['delete_file', { path: plainPath(context), reason: context.text() }],
  (context) => [
    'move_file',
    { from: plainPath(context), to: `moved/${context.random.integer(5)}.ts`, reason: context.text() },
  ],
  (context) => {
    const path = plainPath(context);
    const line = lineOf(context, path);
    const changes = [
      { op: 'edit', path, old_string: line, new_string: `${line} ${context.text()}` },
      { op: 'write', path: `src/new-${context.random.integer(4)}.ts`, content: context.text() },
      { op: 'delete', path: context.random.chance(0.5) ? plainPath(context) : hostilePath(context) },
      { op: 'move', from: plainPath(context), to: hostilePath(context) },
    ];
    return ['change_files', { summary: context.text(), changes: changes.slice(0, 1 + context.random.integer(4)) }];
  },
  (context) => [
    'plan',
    { steps: ['a', 'b', 'c'].map((step) => ({ text: `${step} ${context.text()}`.slice(0, 200), done: true })) },
  ],
  (context) => [
    'ask_user',
    {
      prompt: context.text(),
      input_type: context.random.pick(['approval', 'choice', 'text', undefined]),
      choices: context.random.pick([undefined, ['/approve all', 'Approve'], ['1', '2', '3']]),
    },
  ],
];

const READING_DRAFTS: readonly ((context: DraftContext) => Draft)[] = [
  (context) => ['read_file', { path: hostilePath(context), ref: context.random.pick(['head', 'base']) }],
  (context) => ['read_file', { path: plainPath(context) }],
  (context) => ['outline', { path: hostilePath(context) }],
  (context) => ['read_diff', { path: context.random.pick([undefined, hostilePath(context)]) }],
  (context) => ['list_files', { glob: context.random.pick(GLOBS) }],
  ({ random }) => [
    'search',
    { query: random.pick(QUERIES), regex: random.chance(0.5), glob: random.pick([undefined, ...GLOBS]), context: 5 },
  ],
  ({ random }) => ['read_discussion', { skip: random.pick([undefined, 0, 3]) }],
  (context) => ['read_checks', { name: context.random.pick([undefined, context.text().slice(0, 400) || 'x']) }],
];

/** Changes of files that the App never writes. */
const FORBIDDEN_DRAFTS: readonly ((context: DraftContext) => Draft)[] = [
  (context) => ['edit_file', { path: hostilePath(context), old_string: 'export', new_string: 'x' }],
  (context) => ['write_file', { path: hostilePath(context), content: context.text() }],
  (context) => ['delete_file', { path: hostilePath(context) }],
  (context) => ['move_file', { from: hostilePath(context), to: `docs/${context.random.integer(5)}.txt` }],
  (context) => ['move_file', { from: plainPath(context), to: hostilePath(context) }],
];

/** Any call with one argument of a wrong type or size, a wrong key, or a key too many. */
function malformedDraft(context: DraftContext): Draft {
  const { random } = context;
  const [name, input] = random.pick([...VALID_DRAFTS, ...READING_DRAFTS])(context);
  const entries = Object.entries(input ?? {});
  const [key = 'path'] = entries.length === 0 ? [] : random.pick(entries);
  const extra = random.pick([key, 'constructor', 'approved', 'approved_by', 'sudo', '']);
  return [name, { ...Object.fromEntries(entries), [extra]: random.pick(ODD_VALUES) }];
}

/** Names that are no tool, or one that nobody offers. */
const ODD_NAMES = [
  ...['approve', 'commit', 'bash', 'functions.write_file', 'WRITE_FILE', 'write-file', '', '__proto__', 'toString'],
  'a'.repeat(5_000),
];

function misnamedDraft(context: DraftContext): Draft {
  const [, input] = context.random.pick(VALID_DRAFTS)(context);
  return [context.random.pick([...ODD_NAMES, ...TOOL_NAMES, context.text()]), input];
}

const DRAFT_KINDS: readonly (readonly ((context: DraftContext) => Draft)[])[] = [
  VALID_DRAFTS,
  VALID_DRAFTS,
  READING_DRAFTS,
  READING_DRAFTS,
  FORBIDDEN_DRAFTS,
  [malformedDraft],
  [misnamedDraft],
];

/** Any call. */
export function drawDraft(context: DraftContext): Draft {
  return context.random.pick(context.random.pick(DRAFT_KINDS))(context);
}

const IDLE_KINDS = [READING_DRAFTS, FORBIDDEN_DRAFTS, [malformedDraft]];

/** A call that mostly shows people nothing, so that the run goes on. */
export function drawIdle(context: DraftContext): Draft {
  return context.random.pick(context.random.pick(IDLE_KINDS))(context);
}

/** A change that can be shown to people. */
export function drawChange(context: DraftContext): Draft {
  return context.random.pick(VALID_DRAFTS)(context);
}

/** The arguments as text, sometimes no JSON, no object, or with a key twice. */
export function writeArguments(input: unknown, random: Random): string {
  const json = JSON.stringify(input) ?? '';
  if (!random.chance(0.08)) return json;
  return random.pick([
    json.slice(0, random.integer(json.length + 1)),
    `[${json}]`,
    `${json}${json}`,
    `\`\`\`json\n${json}\n\`\`\``,
    json.replace('{', '{"path":"src/total.ts","__proto__":{"path":".env"},'),
    '['.repeat(3_000),
    'null',
    '',
  ]);
}
