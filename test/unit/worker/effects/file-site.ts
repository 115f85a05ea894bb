import { NO_OPERATOR_SETTINGS } from '../../../../src/core/settings/operator-file.ts';
import type { CommentIntent, Intent, ParsedComment } from '../../../../src/core/state/intent.ts';
import { commentKey, type PostedComment } from '../../../../src/core/state/posted-comment.ts';
import type { PullFacts } from '../../../../src/core/step/facts.ts';
import type { GitHub } from '../../../../src/core/step/ports.ts';
import type { Signal } from '../../../../src/core/step/signals.ts';
import type { WorkerContext } from '../../../../src/worker/jobs/job.ts';
import { stored } from '../../core/edits/samples.ts';
import { ana } from '../../core/messages/sample.ts';

export const REF = { installationId: 7, repositoryId: 70, owner: 'acme', repo: 'shop', number: 5 };

export const SELF = { slug: 'countersign', botId: 9 };

/** The files of the fake GitHub: texts by path for each commit, and the head. */
export type FileSite = {
  readonly commits: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly head: string;
};

/** The GitHub calls that an assessment of files needs; Ana has write access. */
export function gitHubOf({ commits, head }: FileSite): GitHub {
  const blobs = new Map<string, Uint8Array>();
  const trees = new Map(
    Object.entries(commits).map(([commit, texts]) => {
      const entries = Object.entries(texts).map(([path, text]) => {
        const { ref, bytes } = stored(text);
        blobs.set(ref.blob, bytes);
        return [path, { mode: ref.mode, sha: ref.blob, size: bytes.length }] as const;
      });
      return [commit, new Map(entries)] as const;
    }),
  );
  const known: Partial<GitHub> = {
    fetchPull: async () => pullAt(head),
    fetchPermission: async () => ({ permission: 'write', userId: ana.id }),
    fetchSettingsFile: async () => null,
    fetchCommentTexts: async (comments) =>
      Object.fromEntries(comments.map((one) => [commentKey(one), { body: '', bodyHash: one.bodyHash }])),
    fetchVoteSources: async () => ({}),
    fetchTree: async (commit) => trees.get(commit) ?? new Map(),
    fetchBlob: async (sha) => blobs.get(sha) ?? new Uint8Array(),
  };
  return Object.assign(Object.create(null), known);
}

function pullAt(headSha: string): PullFacts {
  const branches = { baseRef: 'main', baseSha: 'b'.repeat(40), headRef: 'topic', headSha, defaultBranch: 'main' };
  const shown = { title: 'A title', description: '', labels: [], author: ana } as const;
  return { state: 'open', draft: false, ...shown, fork: false, changedFiles: 1, approvals: 0, ...branches };
}

/** The job that gathers facts. */
export function contextOf(github: GitHub): WorkerContext {
  const known: Partial<WorkerContext> = {
    githubApp: { forPull: () => github, identity: async () => ({ ...SELF, owner: 'ana' }) },
    clock: { now: () => Date.parse('2026-01-02T00:00:00Z'), every: () => () => {} },
    self: SELF,
    isServedOwner: () => true,
    operatorSettings: () => NO_OPERATOR_SETTINGS,
  };
  return Object.assign(Object.create(null), known);
}

/** The stored comment of a proposal. */
export function commentOf(id: number): PostedComment {
  const createdAt = '2026-01-01T00:00:00Z';
  return { kind: 'review-comment', id, nodeId: 'n', createdAt, bodyHash: 'h', url: 'https://github.com/x' };
}

const ABOUT = { pull: REF, actor: { ...ana } } as const;

function signalOf(intent: Intent): Signal {
  return { type: 'intent', deliveryId: 'x', intent };
}

export function pushed(before: string, after: string): Signal {
  return signalOf({ kind: 'pushed', ...ABOUT, before, after });
}

function says(parsed: ParsedComment, location: CommentIntent['location']): Signal {
  const words = { quotedIds: [], quote: null, createdAt: '2026-01-02T00:00:00Z', bodyHash: '0', reviewState: null };
  return signalOf({ kind: 'comment', ...ABOUT, parsed, location, ...words });
}

export function undoes(id: string): Signal {
  const command = { name: 'undo', targets: { by: 'ids', ids: [id] } } as const;
  return says({ kind: 'command', command, addressedToApp: false }, { at: 'conversation', commentId: 99 });
}

/** A reply with these lines as its one suggestion block, below the comment that shows a proposal. */
export function repliesWith(lines: readonly string[], { id }: PostedComment, path: string): Signal {
  const read = { text: '', affirmation: false, addressedToSomeoneElse: false, addressedToApp: false } as const;
  const place = {
    at: 'thread',
    commentId: 99,
    rootId: id,
    reviewId: null,
    path,
    line: 1,
    startLine: null,
    side: null,
    diffHunk: '',
  } as const;
  return says({ kind: 'text', ...read, suggestion: lines, isSuggestionAlone: true }, place);
}
