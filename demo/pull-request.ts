import { Buffer } from 'node:buffer';
import type { FakeGitHub } from '../fakes/github/fake-github.ts';
import type { PatchHunk } from '../fakes/github/git/diff.ts';
import { putGitCommit, readBlobText, readGitCommit } from '../fakes/github/git/objects.ts';
import { findTreeEntry, putFiles } from '../fakes/github/git/trees.ts';
import { OPERATIONS } from '../fakes/github/operations/operations.ts';
import { createGitSignature, listPullFileDiffs } from '../fakes/github/state/commits.ts';
import type {
  CollaboratorPermission,
  FakeAccount,
  FakePullRequest,
  FakeRepository,
} from '../fakes/github/state/github-state.ts';
import { parseSuggestionBlock } from '../fakes/people/commit-suggestion.ts';
import { splitLines } from '../src/core/edits/text/lines.ts';
import { PENDING_LABEL } from '../src/core/messages/proposal/proposal-status.ts';
import type { PullSource } from './local-repository.ts';
import type { HunkLines, HunkLinesByPath } from './script.ts';

/** The pull request of the demo, and two people on it. */
export type DemoPull = {
  readonly repositoryId: number;
  readonly number: number;
  readonly fullName: string;
  readonly branch: string;
  /** The head before the run. */
  readonly initialHead: string;
  readonly initialTree: string;
  /** Has write access and gives the task. */
  readonly ana: FakeAccount;
  /** Has write access and reviews. */
  readonly ben: FakeAccount;
};

/** Names a pull request of the fake GitHub. */
export type PullAddress = Pick<DemoPull, 'repositoryId' | 'number'>;

const HEAD_BRANCH = 'topic';

/** Creates a repository from the base of the source, a branch from its head, and a pull request. */
export function openDemoPull(github: FakeGitHub, source: PullSource): DemoPull {
  const addUser = (login: string): FakeAccount => github.apply(OPERATIONS.addAccount, { login });
  const owner = github.apply(OPERATIONS.addAccount, { login: 'acme', type: 'Organization' });
  const [ana, ben, carl] = [addUser('ana'), addUser('ben'), addUser('carl')];
  const repository = github.apply(OPERATIONS.addRepository, {
    ownerId: owner.id,
    name: source.name,
    files: source.base,
  });
  github.apply(OPERATIONS.installApp, { appId: github.app.id, accountId: owner.id });
  const allow = (account: FakeAccount, permission: CollaboratorPermission) =>
    github.apply(OPERATIONS.setPermission, { repositoryId: repository.id, accountId: account.id, permission });
  for (const account of [ana, ben, carl]) allow(account, 'write');
  const tree = putFiles(github.state().store, source.head);
  const pull = openPull(github, { repository, author: carl, title: source.title, body: '', branch: HEAD_BRANCH, tree });
  return {
    repositoryId: repository.id,
    number: pull.number,
    fullName: `${owner.login}/${repository.name}`,
    branch: HEAD_BRANCH,
    initialHead: pull.head.sha,
    initialTree: tree,
    ana,
    ben,
  };
}

type NewPull = {
  readonly repository: FakeRepository;
  readonly author: FakeAccount;
  readonly title: string;
  readonly body: string;
  readonly branch: string;
  readonly tree: string;
};

/** Creates the head as one commit with the tree of the source, which keeps file modes, links and submodules. */
export function openPull(github: FakeGitHub, given: NewPull): FakePullRequest {
  const { repository, author, title, body, branch, tree } = given;
  const signature = createGitSignature(github.state(), author, Date.now());
  const sha = putGitCommit(github.state().store, {
    tree,
    parents: [repository.refs.get('refs/heads/main') ?? ''],
    author: signature,
    committer: signature,
    signature: null,
    message: `${title}\n`,
  });
  const target = { actor: { accountId: author.id, viaAppId: null }, repositoryId: repository.id };
  github.apply(OPERATIONS.createGitRef, { ...target, ref: `refs/heads/${branch}`, sha });
  return github.apply(OPERATIONS.createPullRequest, { ...target, title: truncateTitle(title), body, head: branch });
}

/** GitHub accepts titles of at most 256 characters. */
function truncateTitle(title: string): string {
  return Buffer.byteLength(title) <= 256 ? title : `${[...title].slice(0, 60).join('')}…`;
}

/** The lines of a file that a comment refers to. */
export type CommentedLines = {
  readonly path: string;
  readonly first: number;
  readonly last: number;
  readonly lines: readonly string[];
};

/** A comment or review on the page; `path` is null in the conversation. */
export type PageEntry = {
  readonly key: string;
  readonly kind: 'comment' | 'review' | 'in-thread';
  readonly id: number;
  readonly author: string;
  readonly byApp: boolean;
  readonly body: string;
  readonly path: string | null;
  readonly anchor: CommentedLines | null;
  readonly isReply: boolean;
};

/** A proposal, parsed from its comment. `line` is 0 if the title has no line. */
export type PageProposal = {
  readonly entry: PageEntry;
  readonly id: string;
  readonly op: 'edit' | 'write';
  readonly path: string;
  readonly line: number;
  readonly digest: string;
  /** Whether GitHub shows *Commit suggestion*. */
  readonly hasSuggestion: boolean;
  readonly isOpen: boolean;
  /** The removed and added lines of the diff or suggestion. */
  readonly removed: readonly string[];
  readonly added: readonly string[];
};

/** Lists the entries of the page, oldest first. */
export function readPullPage(github: FakeGitHub, demoPull: PullAddress): readonly PageEntry[] {
  const { accounts } = github.state();
  const pull = demoPullOf(github, demoPull);
  const common = (authorId: number | null, body: string) => ({
    author: accounts.get(authorId ?? 0)?.login ?? 'ghost',
    byApp: authorId === github.app.botId,
    body,
  });
  const noLocation = { path: null, anchor: null, isReply: false };
  const comments = [...pull.comments.values()].map(({ id, authorId, body }) => {
    return { key: `comment ${id}`, kind: 'comment', id, ...common(authorId, body), ...noLocation } as const;
  });
  const reviews = [...pull.reviews.values()]
    .filter(({ body }) => body !== '')
    .map(({ id, authorId, body }) => {
      return { key: `review ${id}`, kind: 'review', id, ...common(authorId, body), ...noLocation } as const;
    });
  const inThreads = [...pull.reviewComments.values()].map(({ id, authorId, body, threadId, inReplyToId }) => {
    const location = {
      path: pull.threads.get(threadId)?.path ?? '',
      anchor: readCommentedLines(github, pull, threadId),
    };
    return {
      key: `thread ${id}`,
      kind: 'in-thread',
      id,
      ...common(authorId, body),
      ...location,
      isReply: inReplyToId !== null,
    } as const;
  });
  return [...comments, ...reviews, ...inThreads].toSorted((left, right) => left.id - right.id);
}

/** Returns the current state of the pull request. Throws when it is missing. */
export function demoPullOf(github: FakeGitHub, { repositoryId, number }: PullAddress): FakePullRequest {
  const pull = github.state().repositories.get(repositoryId)?.pulls.get(number);
  if (pull === undefined) throw new Error('The fake GitHub does not have the pull request.');
  return pull;
}

/** The lines of the file that a thread is about, as they were when it began; null for a whole file. */
export function readCommentedLines(github: FakeGitHub, pull: FakePullRequest, threadId: number): CommentedLines | null {
  const thread = pull.threads.get(threadId);
  if (thread === undefined || thread.location.kind === 'file') return null;
  const { original } = thread.location;
  const { store } = github.state();
  const tree = readGitCommit(store, thread.originalCommitSha)?.tree ?? '';
  const lines = splitLines(readBlobText(store, findTreeEntry(store, tree, thread.path)?.sha));
  const first = original.startLine ?? original.line;
  const anchored = lines.slice(first - 1, original.line).map((line) => line.replace(/\n$/, ''));
  return { path: thread.path, first, last: original.line, lines: anchored };
}

const TITLE_LINE =
  /^\*\*(Edit|Write)\*\* (`+) ?([\s\S]+?) ?\2(?: \((?:(insert below )?line (\d+)|[^\n]*)\))? · `([a-z0-9]{4,6})`$/m;

const DETAILS_LINE = /^Change \d+ of \d+ · digest `([0-9a-f]{12})` · head `[0-9a-f]{7}`/m;

const PROPOSAL_MARKER = '<!-- countersign:proposal:';

/** Parses the proposals of a page, oldest first. */
export function parsePageProposals(page: readonly PageEntry[]): readonly PageProposal[] {
  return page.flatMap((entry) =>
    entry.byApp && entry.body.startsWith(PROPOSAL_MARKER) ? parsePageProposal(entry) : [],
  );
}

function parsePageProposal(entry: PageEntry): readonly PageProposal[] {
  const [, op, , path, insertBelow, line, id] = TITLE_LINE.exec(entry.body) ?? [];
  const [, digest] = DETAILS_LINE.exec(entry.body) ?? [];
  if (op === undefined || path === undefined || id === undefined || digest === undefined) return [];
  const suggested = entry.anchor === null ? undefined : parseSuggestionBlock(entry.body);
  const shown =
    suggested === undefined || entry.anchor === null
      ? parseDiffBlock(entry.body)
      : { removed: entry.anchor.lines, added: suggested };
  return [
    {
      entry,
      id,
      op: op === 'Edit' ? 'edit' : 'write',
      path: entry.path ?? path,
      // The first line that an insertion adds has the next number.
      line: Number(line ?? 0) + (insertBelow === undefined ? 0 : 1),
      digest,
      hasSuggestion: suggested !== undefined,
      isOpen: entry.body.includes(`\n${PENDING_LABEL}`),
      ...shown,
    },
  ];
}

/** Parses the last diff block, because a large diff also has a preview before it. */
function parseDiffBlock(body: string): { readonly removed: readonly string[]; readonly added: readonly string[] } {
  const blocks = [...body.matchAll(/^(`{3,})diff\n([\s\S]*?)^\1$/gm)];
  const lines = (blocks.at(-1)?.[2] ?? '').split('\n').filter((line) => !/^(?:\+\+\+|---) /.test(line));
  const marked = (mark: string): readonly string[] =>
    lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(1));
  return { removed: marked('-'), added: marked('+') };
}

/** Lists the lines of the head that are in the diff of the pull request, by path. */
export function listHunkLines(github: FakeGitHub, demoPull: PullAddress): HunkLinesByPath {
  const files = listPullFileDiffs(github.state().store, demoPullOf(github, demoPull));
  const shown = files.filter(({ change, patch }) => change.status !== 'removed' && patch.text !== null);
  return new Map(shown.map(({ change, patch }) => [change.path, patch.hunks.map(toHunkLines)]));
}

function toHunkLines({ newStart, newLines, lines }: PatchHunk): HunkLines {
  const firstChange = lines.findIndex((line) => line.startsWith('+') || line.startsWith('-'));
  const last = newStart + newLines - 1;
  return { first: newStart, last, changed: Math.min(last, newStart + Math.max(0, firstChange)) };
}
