import { posix } from 'node:path';
import { LAYERS, ROOMS } from './rooms.ts';
import type { Oddity, SourceFacts } from './source-facts.ts';

/** Returns one line for each breach of a rule. */
type Rule = (files: readonly SourceFacts[]) => readonly string[];

/** The folders or files that each part of the repository can import in addition to itself. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  src: [],
  fakes: ['src/lib/trust.ts'],
  demo: ['src', 'fakes'],
  lab: ['src', 'fakes', 'demo', 'test'],
};

/** The command line loads the demo lazily. */
const DEMO_IMPORT = { path: 'src/cli.ts', target: 'demo/command/main.ts' };

/** Code that the server never loads: other commands, the fakes, the demo and the lab. */
const NOT_SERVED = /^(?:src\/cli[/.]|demo\/|fakes\/|lab\/)/;

/** The entry files of the server. */
const SERVER_ENTRIES = ['src/app/start.ts'];

/** Packages without I/O. */
const PURE_PACKAGES = [
  'zod',
  'diff',
  'fastest-levenshtein',
  'mdast',
  'mdast-util-from-markdown',
  'yaml',
  'ignore',
  're2js',
  'node:crypto',
  'node:util',
  'node:buffer',
];

/** Clock, randomness, timers, network and process; pure code gets them as facts or through ports. */
const IMPURE_USE =
  /^(?:Date\.now|new Date\(\)|Math\.random|process\.|performance\.|crypto\.|console\.|fetch\(\)|setTimeout\(\)|setInterval\(\)|setImmediate\(\)|queueMicrotask\(\))/;
const IMPURE_NAMES = ['randomBytes', 'randomUUID', 'randomInt', 'randomFillSync', 'getRandomValues', 'webcrypto'];

const TRUST = 'src/lib/trust.ts';

/** Files of src/lib that only impure code uses. */
const EDGE_LIBRARIES = [TRUST, 'src/lib/delay.ts', 'src/lib/package.ts'];

const CHILD_PROCESS = /^(?:node:)?child_process$/;

/** `src/core` for `src/core/decide.ts`; a file directly in `src` is a folder of its own. */
function folderOf(path: string): string {
  const folder = posix.dirname(path);
  return folder === 'src' ? path : folder;
}

function partOf(path: string): string {
  return path.split('/')[0] ?? '';
}

function targetOf(file: SourceFacts, from: string): string | null {
  return from.startsWith('.') ? posix.join(posix.dirname(file.path), from) : null;
}

/** The files of the repository that a file imports. */
function targetsOf(file: SourceFacts): readonly string[] {
  return file.imports.flatMap(({ from }) => targetOf(file, from) ?? []);
}

function rowOf(path: string): number {
  return LAYERS.findIndex((row) => row.includes(folderOf(path)));
}

function breachesOf(files: readonly SourceFacts[], mayImport: (file: SourceFacts, target: string) => boolean) {
  return files.flatMap((file) =>
    targetsOf(file)
      .filter((target) => !mayImport(file, target))
      .map((target) => `${file.path} may not import ${target}`),
  );
}

const layers: Rule = (files) => {
  const inSrc = files.filter(({ path }) => partOf(path) === 'src');
  const unknown = inSrc.filter(({ path }) => rowOf(path) === -1);
  return [
    ...unknown.map(({ path }) => `${path} lies in a folder that has no layer`),
    ...breachesOf(inSrc, ({ path }, target) => {
      if (partOf(target) !== 'src' || folderOf(path) === folderOf(target)) return true;
      return rowOf(target) < rowOf(path);
    }),
  ];
};

function isIn(place: string, path: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

const parts: Rule = (files) =>
  files.flatMap((file) =>
    file.imports
      .filter(({ from, late }) => {
        const target = targetOf(file, from);
        if (target === null) return from === '(computed)';
        const places = [partOf(file.path), ...(PARTS[partOf(file.path)] ?? [])];
        const isDemo = file.path === DEMO_IMPORT.path && target === DEMO_IMPORT.target && late;
        return !isDemo && !places.some((place) => isIn(place, target));
      })
      .map(({ from }) => `${file.path} may not import ${targetOf(file, from) ?? from}`),
  );

const rooms: Rule = (files) =>
  breachesOf(
    files.filter(({ path }) => partOf(path) === 'src' || partOf(path) === 'demo'),
    ({ path }, target) => {
      const [folder, inner] = [folderOf(path), folderOf(target)];
      const room = ROOMS[inner];
      if (room === undefined || folder === inner) return true;
      if (isWithin(folder, inner)) return room.fromAbove?.includes(posix.basename(target)) ?? true;
      const isEntry = room.entries === 'every file' || room.entries.includes(posix.basename(target));
      return isEntry && (room.importers?.includes(folder) ?? true);
    },
  );

/** The entry files of all rooms that no other folder of src or demo imports, so that the table stays short. */
export function findUnusedEntries(files: readonly SourceFacts[]): readonly string[] {
  const used = new Set(
    files.flatMap((file) => {
      const folder = folderOf(file.path);
      return targetsOf(file).filter((target) => folder !== folderOf(target) && !isWithin(folder, folderOf(target)));
    }),
  );
  return Object.entries(ROOMS).flatMap(([folder, { entries }]) =>
    entries === 'every file' ? [] : entries.map((entry) => `${folder}/${entry}`).filter((path) => !used.has(path)),
  );
}

/** A folder can import from its subfolders what `fromAbove` says. */
function isWithin(folder: string, inner: string): boolean {
  return inner.startsWith(`${folder}/`);
}

function isPure(path: string): boolean {
  return isIn('src/core', path) || isIn('src/lib', path);
}

const purity: Rule = (files) =>
  files
    .filter(({ path }) => isPure(path) && !EDGE_LIBRARIES.includes(path))
    .flatMap((file) => [
      ...[...file.uses].filter((use) => IMPURE_USE.test(use)).map((use) => `${file.path} uses ${use}`),
      ...file.imports
        .flatMap(({ names }) => names)
        .filter((name) => IMPURE_NAMES.includes(name))
        .map((name) => `${file.path} imports ${name}`),
      ...file.imports
        .filter(({ from }) => !from.startsWith('.') && !PURE_PACKAGES.includes(from))
        .map(({ from }) => `${file.path} may not import ${from}`),
    ]);

/** Depth-first search: a node that occurs again on its own path closes a cycle. */
function cyclesIn(arrows: ReadonlyMap<string, Iterable<string>>): readonly string[] {
  const finished = new Set<string>();
  const found: string[] = [];
  const visit = (node: string, way: readonly string[]): void => {
    if (way.includes(node)) found.push([...way.slice(way.indexOf(node)), node].join(' → '));
    if (way.includes(node) || finished.has(node)) return;
    for (const next of arrows.get(node) ?? []) visit(next, [...way, node]);
    finished.add(node);
  };
  for (const node of arrows.keys()) visit(node, []);
  return found;
}

const fileCycles: Rule = (files) => cyclesIn(new Map(files.map((file) => [file.path, targetsOf(file)])));

const folderCycles: Rule = (files) => {
  const arrows = new Map<string, Set<string>>();
  for (const file of files) {
    const folder = folderOf(file.path);
    const known = arrows.get(folder) ?? new Set();
    for (const target of targetsOf(file)) if (folderOf(target) !== folder) known.add(folderOf(target));
    arrows.set(folder, known);
  }
  return cyclesIn(arrows);
};

const VAGUE = /(?:^|-)(?:utils?|helpers?|managers?|services?|misc|common|stuff)(?:-|$)/;
const KEBAB = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

const names: Rule = (files) =>
  files.flatMap(({ path }) => {
    const wrong = path
      .replace(/\.ts$/, '')
      .split('/')
      .filter((name) => !KEBAB.test(name) || VAGUE.test(name));
    return wrong.map((name) => `${path}: the name ${name}`);
  });

const ODDITY_TEXT = {
  assertion: 'asserts a type',
  'non-null': 'asserts that something is not null',
  any: 'says any',
  'default-export': 'has a default export',
  silenced: 'silences a tool',
} as const satisfies Record<Oddity, string>;

const oddities: Rule = (files) =>
  files.flatMap((file) =>
    file.oddities
      .filter(({ kind }) => !(kind === 'assertion' && file.path === TRUST))
      .map(({ kind, line }) => `${file.path}:${line} ${ODDITY_TEXT[kind]}`),
  );

const environment: Rule = (files) => {
  const readers = files.filter(
    ({ uses, imports }) =>
      uses.has('process.env') ||
      imports.some(({ from, names }) => /^(?:node:)?process$/.test(from) && names.includes('env')),
  );
  const outside = readers.filter(({ path }) => folderOf(path) !== 'src/app/config').map(({ path }) => path);
  const several = readers.length > 1 ? [`read in ${readers.length} files`] : [];
  return [...outside.map((path) => `${path} reads the environment`), ...several];
};

/** The lab and the demo's page are exempt: they start and kill an App on this machine, with a GitHub of their own. */
const processes: Rule = (files) => {
  const starters = files.filter(
    ({ path, imports }) => !/^(?:lab|demo\/page)\//.test(path) && imports.some(({ from }) => CHILD_PROCESS.test(from)),
  );
  return starters.slice(1).map(({ path }) => `${path} starts processes too`);
};

/** The server is all that its entries reach, including late imports and types. */
const server: Rule = (files) => {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reached = new Set(SERVER_ENTRIES);
  for (const path of reached) {
    const file = byPath.get(path);
    for (const { from } of file?.imports ?? []) reached.add((file && targetOf(file, from)) ?? from);
  }
  return [...reached]
    .filter((name) => NOT_SERVED.test(name) || CHILD_PROCESS.test(name))
    .map((name) => `the server reaches ${name}`);
};

/** Names that only these files or folders can import; none for a banned name. */
const RESERVED: Readonly<Record<string, readonly string[]>> = {
  // It silently applies at the wrong place of a moved file.
  applyPatch: [],
  markCountersigned: ['src/core/policy/countersign.ts'],
  // Replies are written in one room, which makes the text of others inert.
  markReply: ['src/core/messages/shared/markdown.ts'],
  composeReply: ['src/core/messages/'],
  storedAs: ['src/adapters/store/'],
};

const reserved: Rule = (files) =>
  files.flatMap((file) =>
    file.imports
      .flatMap(({ names }) => names)
      .filter((name) => Object.hasOwn(RESERVED, name) && !RESERVED[name]?.some((place) => file.path.startsWith(place)))
      .map((name) => `${file.path} may not use ${name}`),
  );

/** The class that dispatches events, and types. The other exports can download packages and start programs. */
const PROBOT_NAMES: readonly string[] = ['Probot', 'ApplicationFunction', 'ProbotOctokit'];

const probot: Rule = (files) =>
  files.flatMap(({ path, imports }) =>
    imports
      .filter(({ from }) => /^(?:probot|@probot|npx-import)/.test(from))
      .filter(({ from, names: used }) => from !== 'probot' || used.length === 0 || !used.every(isProbotName))
      .map(({ from, names: used }) => `${path} uses ${used.join(', ') || 'all'} of ${from}`),
  );

function isProbotName(name: string): boolean {
  return PROBOT_NAMES.includes(name);
}

/** Every rule by its description. */
export const RULES: Readonly<Record<string, Rule>> = {
  'imports point down the layers only': layers,
  'src imports only src, fakes import one file of it, and installed code never imports lab or test': parts,
  'a room is entered through its entry files': rooms,
  'pure code has no clock, no randomness, no network and no process': purity,
  'no import leads back to its own file, types counted': fileCycles,
  'no import leads back to its own folder, types counted': folderCycles,
  'names are kebab-case and meaningful': names,
  'types are asserted in one file; nothing is any, exported by default or silenced': oddities,
  'the environment is read in one place': environment,
  'only one file starts processes, beside the page of the demo (E15)': processes,
  'the server reaches no process, no git, and nothing simulated (E15)': server,
  'of Probot only the dispatcher is used (X20)': probot,
  'applyPatch is banned, and brands are made where they are checked (B4, M10)': reserved,
};
