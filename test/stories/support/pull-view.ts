import { readBlob, readGitCommit } from '../../../fakes/github/git/objects.ts';
import { findTreeEntry } from '../../../fakes/github/git/trees.ts';
import type {
  FakeAccount,
  FakePullRequest,
  FakeReaction,
  FakeRepository,
} from '../../../fakes/github/state/github-state.ts';
import type { Stage } from './stage.ts';

/** A commit of the head branch. */
type CommitView = {
  readonly sha: string;
  readonly parent: string;
  readonly message: string;
  readonly author: string;
};

/** The current pull request on GitHub. */
export type PullView = {
  readonly fullName: string;
  readonly repositoryId: number;
  readonly number: number;
  readonly now: () => FakePullRequest;
  readonly repository: () => FakeRepository;
  readonly head: () => string;
  /** A file at the head; throws if there is none. */
  readonly file: (path: string) => string;
  /** A file of any commit; throws if there is none. */
  readonly fileAt: (sha: string, path: string) => string;
  readonly bytes: (path: string) => Uint8Array | null;
  readonly mode: (path: string) => string | null;
  /** Commits of the head branch since the pull request was opened, oldest first. */
  readonly commits: () => readonly CommitView[];
  readonly reactionsOn: (commentId: number) => readonly FakeReaction[];
  /** All refs with their SHAs. */
  readonly refs: () => Readonly<Record<string, string>>;
};

export function watchPull(stage: Stage, repositoryId: number, number: number): PullView {
  const world = () => stage.github.state();
  const repository = (): FakeRepository => known(world().repositories.get(repositoryId), 'repository');
  const now = (): FakePullRequest => known(repository().pulls.get(number), 'pull request');
  const head = (): string => now().head.sha;
  const opened = head();
  const owner: FakeAccount = known(world().accounts.get(repository().ownerId), 'owner');
  const entry = (path: string, sha = head()) => findTreeEntry(world().store, commitAt(stage, sha).tree, path);
  const bytes = (path: string, sha = head()): Uint8Array | null => {
    const found = entry(path, sha);
    return found === undefined ? null : (readBlob(world().store, found.sha) ?? null);
  };
  const fileAt = (sha: string, path: string): string =>
    new TextDecoder('utf-8', { ignoreBOM: true }).decode(known(bytes(path, sha) ?? undefined, path));
  return {
    fullName: `${owner.login}/${repository().name}`,
    repositoryId,
    number,
    now,
    repository,
    head,
    bytes: (path) => bytes(path),
    fileAt,
    file: (path) => fileAt(head(), path),
    mode: (path) => entry(path)?.mode ?? null,
    commits: () => commitsSince(stage, opened, head()),
    reactionsOn: (id) => (now().comments.get(id) ?? now().reviewComments.get(id))?.reactions ?? [],
    refs: () => Object.fromEntries(repository().refs),
  };
}

function commitsSince(stage: Stage, base: string, head: string): CommitView[] {
  const commits: CommitView[] = [];
  for (let sha = head; sha !== base && sha !== ''; ) {
    const commit = commitAt(stage, sha);
    const parent = commit.parents[0] ?? '';
    commits.unshift({ sha, parent, message: commit.message, author: commit.author.name });
    sha = parent;
  }
  return commits;
}

function commitAt(stage: Stage, sha: string) {
  return known(readGitCommit(stage.github.state().store, sha), 'commit');
}

function known<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new Error(`GitHub has no ${what}.`);
  return value;
}
