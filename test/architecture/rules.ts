import { posix } from 'node:path';
import type { Oddity, SourceFacts } from './source-facts.ts';

/** Says for each breach of one rule where it is and what it is. */
export type Rule = (files: readonly SourceFacts[]) => readonly string[];

const PURE = ['run', 'budget', 'command', 'policy', 'settings', 'change', 'prompt', 'tools', 'render'];

/** Folders of the edges, and what each may import besides the pure ones and itself: a folder, or one file of it. */
const EDGES: Readonly<Record<string, readonly string[]>> = {
  config: [],
  telemetry: [],
  intake: ['store/store.ts', 'telemetry'],
  worker: ['store/store.ts', 'store/outage.ts', 'store/unknown-schema.ts', 'telemetry'],
  github: ['worker/ports.ts', 'sweep/delivery-log.ts'],
  sweep: ['store/store.ts', 'telemetry', 'worker/ports.ts', 'intake/delivery-event.ts'],
  model: ['worker/ports.ts'],
  thread: ['worker/work-out.ts'],
  store: [],
  simulator: [],
  explain: [],
  git: [],
  verify: [],
  export: ['store', 'config'],
};

/** What nothing that the server runs may reach: folders of commands that the person at the machine starts, and who imports them. */
const APART: Readonly<Record<string, readonly string[]>> = {
  options: ['explain', 'verify', 'export', 'demo', 'fidelity', 'chaos', 'simulation'],
  git: ['verify', 'export', 'demo', 'fidelity', 'simulation'],
  verify: ['export', 'demo', 'fidelity', 'simulation'],
  export: ['simulation'],
  demo: [],
  fidelity: [],
  simulation: ['fidelity', 'chaos'],
  simulator: ['demo', 'fidelity', 'simulation', 'chaos'],
  chaos: [],
};

/** Those of them that `countersign` starts. */
const COMMANDS = ['demo', 'verify', 'export'];

/** Packages that compute and do nothing else. */
const PURE_PACKAGES = ['zod', 'diff', 'mdast', 'mdast-util-from-markdown', 'yaml', 'node:crypto', 'node:buffer'];

/** Clock, randomness, waiting, network and the process: facts or ports in pure code, never calls. */
const IMPURE_USE =
  /^(?:Date\.now|new Date\(\)|Math\.random|process\.|performance\.|crypto\.|console\.|fetch\(\)|setTimeout\(\)|setInterval\(\)|setImmediate\(\)|queueMicrotask\(\))/;
const IMPURE_NAMES = ['randomBytes', 'randomUUID', 'randomInt', 'randomFillSync', 'getRandomValues', 'webcrypto'];

/** `run` for `src/run/decide.ts`; empty for files directly in `src`. */
function folderOf(path: string): string {
  const [, folder = '', ...rest] = path.split('/');
  return rest.length === 0 ? '' : folder;
}

function targetOf(file: SourceFacts, from: string): string | null {
  return from.startsWith('.') ? posix.join(posix.dirname(file.path), from) : null;
}

function mayImport(file: SourceFacts, target: string): boolean {
  const folder = folderOf(file.path);
  const goal = folderOf(target);
  if (target === 'src/trust.ts' || goal === folder) return true;
  const importers = APART[goal];
  if (importers !== undefined)
    return importers.includes(folder) || (file.path === 'src/cli.ts' && COMMANDS.includes(goal));
  // On top of everything but wiring: it drives the product's own code.
  if (folder === 'simulation') return goal !== '';
  if (folder === '' || folder === 'demo' || folder === 'fidelity' || folder === 'chaos')
    return file.path !== 'src/trust.ts' || PURE.includes(goal);
  if (PURE.includes(goal)) return true;
  const allowed = EDGES[folder] ?? [];
  return allowed.includes(goal) || allowed.includes(target.slice('src/'.length));
}

function mayUsePackage(file: SourceFacts, name: string): boolean {
  return !PURE.includes(folderOf(file.path)) || PURE_PACKAGES.includes(name);
}

function isKnownFolder(folder: string): boolean {
  return folder === '' || folder in APART || PURE.includes(folder) || folder in EDGES;
}

const layers: Rule = (files) =>
  files.flatMap((file) => {
    const unknown = isKnownFolder(folderOf(file.path)) ? [] : [`${file.path} lies in a folder that has no layer`];
    const breaches = file.imports.filter(({ from }) => {
      const target = targetOf(file, from);
      return target === null ? !mayUsePackage(file, from) : !mayImport(file, target);
    });
    return [...unknown, ...breaches.map(({ from }) => `${file.path} may not import ${from}`)];
  });

const purity: Rule = (files) =>
  files
    .filter((file) => PURE.includes(folderOf(file.path)))
    .flatMap((file) => [
      ...[...file.uses].filter((use) => IMPURE_USE.test(use)).map((use) => `${file.path} uses ${use}`),
      ...file.imports
        .flatMap(({ names }) => names)
        .filter((name) => IMPURE_NAMES.includes(name))
        .map((name) => `${file.path} imports ${name}`),
    ]);

/** Follows imports depth first; a file met again on the way to itself closes a cycle. */
const cycles: Rule = (files) => {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const finished = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, way: readonly string[]): void => {
    if (way.includes(path)) found.push([...way.slice(way.indexOf(path)), path].join(' → '));
    const file = byPath.get(path);
    if (file === undefined || way.includes(path) || finished.has(path)) return;
    for (const { from } of file.imports) visit(targetOf(file, from) ?? '', [...way, path]);
    finished.add(path);
  };
  for (const { path } of files) visit(path, []);
  return found;
};

const sizes: Rule = (files) =>
  files.flatMap((file) => [
    ...(file.lines > 300 ? [`${file.path} has ${file.lines} lines`] : []),
    ...file.functions
      .filter(({ lines }) => lines > 50)
      .map(({ line, lines }) => `${file.path}:${line} is a function of ${lines} lines`),
  ]);

const VAGUE = /(?:^|-)(?:utils?|helpers?|managers?|services?|misc|common|stuff)(?:-|$)/;
const KEBAB = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

const names: Rule = (files) =>
  files.flatMap(({ path }) => {
    const parts = path.replace(/\.ts$/, '').split('/').slice(1);
    const deep = parts.length > 3 ? [`${path} lies deeper than two folders`] : [];
    const wrong = parts.filter((part) => !KEBAB.test(part) || VAGUE.test(part));
    return [...deep, ...wrong.map((part) => `${path}: the name ${part}`)];
  });

const ODDITY_WORDS = {
  assertion: 'asserts a type',
  'non-null': 'asserts that something is not null',
  any: 'says any',
  'default-export': 'has a default export',
  silenced: 'silences a tool',
} as const satisfies Record<Oddity, string>;

const oddities: Rule = (files) =>
  files.flatMap((file) =>
    file.oddities
      .filter(({ kind }) => !(kind === 'assertion' && file.path === 'src/trust.ts'))
      .map(({ kind, line }) => `${file.path}:${line} ${ODDITY_WORDS[kind]}`),
  );

const environment: Rule = (files) => {
  const readers = files.filter(
    ({ uses, imports }) =>
      uses.has('process.env') ||
      imports.some(({ from, names }) => /^(?:node:)?process$/.test(from) && names.includes('env')),
  );
  const outside = readers.filter(({ path }) => folderOf(path) !== 'config').map(({ path }) => path);
  const several = readers.length > 1 ? [`read in ${readers.length} files`] : [];
  return [...outside.map((path) => `${path} reads the environment`), ...several];
};

/** The trial that kills processes of the App has to start them; nothing that anybody installs leads there. */
const processes: Rule = (files) => {
  const starters = files.filter(
    ({ path, imports }) =>
      folderOf(path) !== 'chaos' && imports.some(({ from }) => /^(?:node:)?child_process$/.test(from)),
  );
  return starters.slice(1).map(({ path }) => `${path} starts processes too`);
};

/** The server is what `start.ts` and its thread reach, late imports and types included. */
const server: Rule = (files) => {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reached = new Set(['src/start.ts', 'src/thread/work-thread.ts']);
  for (const path of reached) {
    const file = byPath.get(path);
    for (const { from } of file?.imports ?? []) reached.add((file && targetOf(file, from)) ?? from);
  }
  return [...reached]
    .filter((name) => folderOf(name) in APART || /^(?:node:)?child_process$/.test(name))
    .map((name) => `the server reaches ${name}`);
};

/** Names that are banned, or belong to the files of these folders alone. */
const RESERVED: Readonly<Record<string, readonly string[]>> = {
  // It lands in the wrong place of a moved file, silently.
  applyPatch: [],
  countersigned: ['src/policy/countersign.ts'],
  answeredAs: ['src/thread/open-thread.ts'],
  storedAs: ['src/store/', 'src/explain/read-state.ts'],
};

const reserved: Rule = (files) =>
  files.flatMap((file) =>
    file.imports
      .flatMap(({ names }) => names)
      .filter((name) => Object.hasOwn(RESERVED, name) && !RESERVED[name]?.some((place) => file.path.startsWith(place)))
      .map((name) => `${file.path} may not use ${name}`),
  );

/** Every rule by the sentence that it enforces. */
export const RULES: Readonly<Record<string, Rule>> = {
  'imports point down only, and pure code imports nothing that acts': layers,
  'pure code has no clock, no randomness, no network and no process': purity,
  'no import leads back to its own file, types counted': cycles,
  'files have at most 300 lines, functions at most 50': sizes,
  'names are kebab-case, at most two folders deep, and say something': names,
  'types are asserted in one file; nothing is any, exported by default or silenced': oddities,
  'the environment is read in one place': environment,
  'at most one file of what is installed starts processes (E15)': processes,
  'the server reaches no process, no git, and nothing simulated (E15)': server,
  'applyPatch is banned (B4, M10); brands are made where they are checked': reserved,
};
