import { splitLines } from '../change/lines.ts';
import { blobText } from '../simulator/git/blob.ts';
import { readCommit } from '../simulator/git/commit-object.ts';
import { entryAt } from '../simulator/git/trees.ts';
import { suggestionLines } from '../simulator/people/suggestion-block.ts';
import type { Simulator } from '../simulator/simulator.ts';
import type { PullRequest } from '../simulator/world/state.ts';
import type { LoadedPull } from './load-pull.ts';

/** Lines of a file that a comment stands on, as they are there. */
export type Anchor = {
  readonly path: string;
  readonly first: number;
  readonly last: number;
  readonly lines: readonly string[];
};

/** Something written on the page. `where` is null in the conversation. */
export type Entry = {
  /** Unique on the page. */
  readonly key: string;
  readonly kind: 'comment' | 'review' | 'in-thread';
  readonly id: number;
  readonly author: string;
  readonly byApp: boolean;
  readonly body: string;
  readonly path: string | null;
  readonly anchor: Anchor | null;
  readonly isReply: boolean;
};

/** A proposal as a person sees it. `line` is 0 where the title names none. */
export type ShownProposal = {
  readonly entry: Entry;
  readonly id: string;
  readonly op: 'edit' | 'write';
  readonly path: string;
  readonly line: number;
  /** First 12 hex digits. */
  readonly digest: string;
  /** Whether GitHub shows its *Commit suggestion* button. */
  readonly hasButton: boolean;
  readonly isOpen: boolean;
  /** Lines that the diff or the suggestion shows as removed and added. */
  readonly removed: readonly string[];
  readonly added: readonly string[];
};

/** Everything on the pull request's page now, oldest first. */
export function readPage(github: Simulator, loaded: LoadedPull): readonly Entry[] {
  const world = github.world();
  const pull = pullOf(github, loaded);
  const common = (authorId: number | null, body: string) => ({
    author: world.accounts.get(authorId ?? 0)?.login ?? 'ghost',
    byApp: authorId === github.app.botId,
    body,
  });
  const nowhere = { path: null, anchor: null, isReply: false };
  const comments = [...pull.comments.values()].map(({ id, authorId, body }) => {
    return { key: `comment ${id}`, kind: 'comment', id, ...common(authorId, body), ...nowhere } as const;
  });
  const reviews = [...pull.reviews.values()]
    .filter(({ body }) => body !== '')
    .map(({ id, authorId, body }) => {
      return { key: `review ${id}`, kind: 'review', id, ...common(authorId, body), ...nowhere } as const;
    });
  const inThreads = [...pull.reviewComments.values()].map(({ id, authorId, body, threadId, inReplyToId }) => {
    const place = { path: pull.threads.get(threadId)?.path ?? '', anchor: anchorOf(github, pull, threadId) };
    return {
      key: `thread ${id}`,
      kind: 'in-thread',
      id,
      ...common(authorId, body),
      ...place,
      isReply: inReplyToId !== null,
    } as const;
  });
  return [...comments, ...reviews, ...inThreads].toSorted((left, right) => left.id - right.id);
}

/** The pull request on the simulated GitHub. Throws when it is not there. */
export function pullOf(github: Simulator, { repositoryId, number }: LoadedPull): PullRequest {
  const pull = github.world().repositories.get(repositoryId)?.pulls.get(number);
  if (pull === undefined) throw new Error('The pull request is not on the simulated GitHub.');
  return pull;
}

function anchorOf(github: Simulator, pull: PullRequest, threadId: number): Anchor | null {
  const thread = pull.threads.get(threadId);
  if (thread === undefined || thread.place.kind === 'file') return null;
  const { original } = thread.place;
  const { store } = github.world();
  const tree = readCommit(store, thread.originalCommitSha)?.tree ?? '';
  const lines = splitLines(blobText(store, entryAt(store, tree, thread.path)?.sha));
  const first = original.startLine ?? original.line;
  const anchored = lines.slice(first - 1, original.line).map((line) => line.replace(/\n$/, ''));
  return { path: thread.path, first, last: original.line, lines: anchored };
}

const TITLE = /^\*\*(Edit|Write)\*\* (`+) ?([\s\S]+?) ?\2(?: \((?:line (\d+)|[^\n]*)\))?$/m;
const FACTS = /^Change \d+ of \d+ · `([a-z0-9]{4,6})` · digest `([0-9a-f]{12})` · head `[0-9a-f]{7}`$/m;
const MARKER = '<!-- countersign:proposal:';

/** The proposals of a page, in the order they were posted. */
export function proposalsOn(page: readonly Entry[]): readonly ShownProposal[] {
  return page.flatMap((entry) => (entry.byApp && entry.body.startsWith(MARKER) ? proposalIn(entry) : []));
}

function proposalIn(entry: Entry): readonly ShownProposal[] {
  const [, op, , path, line] = TITLE.exec(entry.body) ?? [];
  const [, id, digest] = FACTS.exec(entry.body) ?? [];
  if (op === undefined || path === undefined || id === undefined || digest === undefined) return [];
  const suggested = entry.anchor === null ? undefined : suggestionLines(entry.body);
  const shown =
    suggested === undefined || entry.anchor === null
      ? inDiff(entry.body)
      : { removed: entry.anchor.lines, added: suggested };
  return [
    {
      entry,
      id,
      op: op === 'Edit' ? 'edit' : 'write',
      path: entry.path ?? path,
      line: Number(line ?? 0),
      digest,
      hasButton: suggested !== undefined,
      isOpen: entry.body.includes('\nNothing is changed until somebody decides:'),
      ...shown,
    },
  ];
}

/** The lines of the last diff block: the whole diff, below a preview of it. */
function inDiff(body: string): { readonly removed: readonly string[]; readonly added: readonly string[] } {
  const blocks = [...body.matchAll(/^(`{3,})diff\n([\s\S]*?)^\1$/gm)];
  const lines = (blocks.at(-1)?.[2] ?? '').split('\n').filter((line) => !/^(?:\+\+\+|---) /.test(line));
  const marked = (mark: string): readonly string[] =>
    lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(1));
  return { removed: marked('-'), added: marked('+') };
}
