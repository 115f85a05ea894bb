import { OPERATIONS } from '../../../fakes/github/operations/operations.ts';
import type { FakeAccount, FakePullRequest, FakeRepository } from '../../../fakes/github/state/github-state.ts';
import type { Stage } from './stage.ts';

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** The content of a pull request. */
export type Topic = {
  readonly title?: string;
  /** Files that the branch changes; by default a line is added to the top of every file. */
  readonly branch?: Readonly<Record<string, string | Uint8Array | null>>;
  readonly draft?: boolean;
  /** The branch is in the author's fork. */
  readonly fork?: boolean;
};

export const DEFAULT_FILES: Files = {
  'README.md': '# Shop\n\nSells things.\n',
  'src/total.ts': [
    'export function total(prices: number[]): number {',
    '  let total = 0;',
    '  for (const price of prices) {',
    '    total += price;',
    '  }',
    '  return total;',
    '}',
    '',
  ].join('\n'),
};

type PlainFile = { readonly mode: '100644' | '100755' | '120000'; readonly bytes: Uint8Array };

/** Files in the format of the fake git. */
export function plainFiles(
  files: Files,
  executable: readonly string[] = [],
  links: Readonly<Record<string, string>> = {},
): ReadonlyMap<string, PlainFile> {
  const encoder = new TextEncoder();
  const linked = Object.entries(links).map(([path, target]): readonly [string, PlainFile] => [
    path,
    { mode: '120000', bytes: encoder.encode(target) },
  ]);
  const entries = Object.entries(files).map(([path, content]): readonly [string, PlainFile] => [
    path,
    {
      mode: executable.includes(path) ? '100755' : '100644',
      bytes: typeof content === 'string' ? encoder.encode(content) : content,
    },
  ]);
  return new Map([...entries, ...linked]);
}

/** Changes every file, so that each of them can have comments. */
function withLineOnTop(files: Files): Record<string, string> {
  const entries = Object.entries(files).flatMap(([path, content]) =>
    typeof content === 'string' ? [[path, `// touched by the pull request\n${content}`] as const] : [],
  );
  return Object.fromEntries(entries);
}

/** Opens the pull request from a branch of the repository or of the author's fork. */
export function openPull(
  { github }: Stage,
  repository: FakeRepository,
  author: FakeAccount,
  files: Files,
  { title = 'Work on the shop', branch = withLineOnTop(files), draft = false, fork = false }: Topic,
): FakePullRequest {
  const actor = { accountId: author.id, viaAppId: null };
  const source = fork
    ? github.apply(OPERATIONS.forkRepository, { repositoryId: repository.id, ownerId: author.id })
    : repository;
  const there = { actor, repositoryId: source.id };
  const base = github.state().repositories.get(source.id)?.refs.get('refs/heads/main') ?? '';
  github.apply(OPERATIONS.createGitRef, { ...there, ref: 'refs/heads/topic', sha: base });
  github.apply(OPERATIONS.pushFiles, { ...there, branch: 'topic', files: new Map(Object.entries(branch)) });
  const head = fork ? { repositoryId: source.id, branch: 'topic' } : 'topic';
  return github.apply(OPERATIONS.createPullRequest, {
    actor,
    repositoryId: repository.id,
    title,
    head,
    draft,
  });
}
