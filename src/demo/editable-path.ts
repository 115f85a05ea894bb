import { writeDenied } from '../policy/denied-path.ts';

/** How a language writes a comment of one line; prose has none and takes sentences. */
export type Script =
  | { readonly kind: 'code'; readonly open: string; readonly close: string }
  | { readonly kind: 'prose' };

function code(open: string, close = ''): Script {
  return { kind: 'code', open, close };
}

const SLASHES = code('// ');
const HASH = code('# ');
const DASHES = code('-- ');
const STARS = code('/* ', ' */');
const SEMICOLONS = code(';; ');
const TAGS = code('<!-- ', ' -->');
const PROSE: Script = { kind: 'prose' };

/** Endings of names, and how such files are commented. */
const SCRIPTS: readonly (readonly [Script, string])[] = [
  [SLASHES, 'ts tsx mts cts js jsx mjs cjs go rs cc cpp cxx hpp hh java kt kts scala swift cs dart php groovy zig m'],
  [HASH, 'py pyi rb sh bash zsh pl pm r jl ex exs yml yaml toml cmake nix tcl awk'],
  [DASHES, 'lua sql hs elm adb ads'],
  [SEMICOLONS, 'el clj cljs scm lisp rkt'],
  [STARS, 'c h css scss less'],
  [code('% '), 'erl tex'],
  [TAGS, 'vue svelte'],
  [PROSE, 'md markdown rst txt adoc'],
];

const BY_ENDING = new Map(SCRIPTS.flatMap(([script, endings]) => endings.split(' ').map((ending) => [ending, script])));

/** Made by a program, kept as evidence, or run by one: nothing that a demonstration should touch. */
const LEFT_ALONE = [
  /\.min\.|[-.]lock\b|lock\.(?:json|ya?ml)$|_pb2?\.|\.pb\.|generated|\.g\.dart$|\.d\.ts$/i,
  /(?:^|\/)(?:dist|build|vendor|third_party|node_modules|fixtures?|testdata|__snapshots__|snapshots?|golden)\//i,
  /(?:^|\/)\.(?:git[^/]*|vscode|idea|husky|circleci|cargo|yarn)(?:\/|$)/,
  /(?:^|\/)(?:dockerfile|makefile|cmakelists\.txt|setup\.py|requirements[^/]*\.txt|robots\.txt|licen[cs]e[^/]*|copying[^/]*)$/i,
];

/** How a file is commented, or null where its name says that it is better left alone. */
export function scriptOf(path: string): Script | null {
  const script = BY_ENDING.get(/\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '') ?? null;
  const leftAlone = writeDenied(path) !== null || LEFT_ALONE.some((pattern) => pattern.test(path));
  return leftAlone ? null : script;
}
