import { buildEdit, buildWrite } from '../../../../src/core/edits/build/build-text.ts';
import { type Change, type FileChange, singleChange } from '../../../../src/core/edits/change.ts';
import type { Placement } from '../../../../src/core/edits/placement.ts';
import type { ProposalView } from '../../../../src/core/messages/proposal/proposal-status.ts';
import type { Proposal } from '../../../../src/core/state/proposal.ts';
import { type AgentQuestion, questionDigest } from '../../../../src/core/state/question.ts';
import type { Run } from '../../../../src/core/state/run.ts';
import { startSpending } from '../../../../src/core/state/spending.ts';
import type { Person, Vote } from '../../../../src/core/state/vote.ts';
import type { RepoLinks } from '../../../../src/lib/format.ts';
import { proposal as storedProposal, run as storedRun, vote as storedVote } from '../../../contracts/store/samples.ts';
import { changeOf, stored } from '../edits/samples.ts';

export const links: RepoLinks = { repository: 'https://github.com/ana/shop' };

export const origin = 'https://github.com/';

export const ana: Person = { id: 11, login: 'ana' };

export const ben: Person = { id: 12, login: 'ben-k' };

export const commit = '1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d';

export const head = '9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c';

/** A change built as the product builds it. */
export function edit(path: string, text: string, oldString: string, newString: string, replaceAll = false): FileChange {
  return changeOf(
    buildEdit({ path, repositoryName: 'shop', file: stored(text), edits: [{ oldString, newString, replaceAll }] }),
  );
}

export function write(path: string, before: string | null, content: string): FileChange {
  const file = before === null ? null : stored(before);
  const lastReadBlob = file?.ref.blob ?? null;
  return changeOf(buildWrite({ path, repositoryName: 'shop', file, content, lastReadBlob }));
}

/** A new file whose diff may be longer than the product would ever build. */
export function longWrite(path: string, content: readonly string[]): FileChange {
  const change = write(path, null, 'short\n');
  const added = content.map((line) => `+${line}\n`).join('');
  const unified_diff = `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${content.length} @@\n${added}`;
  return change.payload.type === 'write' ? { ...change, payload: { ...change.payload, unified_diff } } : change;
}

export const total =
  'export function sum(items) {\n  let total = 0;\n  for (const item of items) total += item;\n  return total;\n}\n';

export const bigint = edit('src/total.ts', total, 'let total = 0;', 'let total = 0n;');

export function vote(action: Vote['action'], by: Person, text: string | null = null): Vote {
  const at = '2026-01-01T00:00:00.000Z';
  return {
    ...storedVote('k7q2', text),
    digest: 'd',
    action,
    by,
    commentId: 5,
    thread: null,
    bodyHash: null,
    headSha: head,
    writtenAt: at,
    at,
  };
}

/** A proposal of a change, given whole or by its only member. */
export function proposal(changed: Change | FileChange, more: Partial<Proposal> = {}): Proposal {
  const change = 'members' in changed ? changed : singleChange(changed);
  return storedProposal('k7q2', 'r1', {
    origin: { kind: 'call', turn: 1, calls: [{ turn: 1, callId: 'c1' }], tool: 'edit_file' },
    total: 2,
    modelReason: 'Sums beyond 2^53 lose digits.',
    change,
    headSha: head,
    ...more,
    votes: (more.votes ?? []).map((one) => ({ ...one, digest: change.digest })),
  });
}

export const inSuggestion: Placement = {
  kind: 'suggestion',
  path: 'src/total.ts',
  startLine: null,
  line: 2,
  lines: ['  let total = 0n;'],
};

export const inConversation: Placement = { kind: 'conversation', path: 'src/total.ts' };

export function view(one: Proposal, placement: Placement, warnings: readonly string[] = []): ProposalView {
  return { proposal: one, placement, links, warnings, writable: true, protectedPaths: [], replacedByUrl: null };
}

export function run(more: Partial<Run> = {}): Run {
  return storedRun('7-3-c9', {
    task: {
      text: 'use bigint for the sum',
      quote: null,
      by: ana,
      location: { at: 'conversation', commentId: 9 },
      requestedAt: '2026-01-01T00:00:00Z',
    },
    phase: { kind: 'awaiting-decisions', turn: 1 },
    turns: 1,
    messageCount: 3,
    spending: { ...startSpending(null), usage: { inputTokens: 12_000, cachedInputTokens: 0, outputTokens: 345 } },
    assessed: { headSha: head, baseRef: 'main' },
    pullAuthor: ana,
    ...more,
  });
}

export function question(more: Partial<AgentQuestion> = {}): AgentQuestion {
  const input = more.input ?? { type: 'text' };
  const prompt = more.prompt ?? 'Which name?';
  return {
    ...{ id: 'k7q2', runId: 'r1', call: { turn: 1, callId: 'c1' }, input, prompt },
    isDue: true,
    ...{ precedingText: null, digest: questionDigest(input, prompt), place: { at: 'conversation' }, state: 'asked' },
    ...{ comment: null, expiresAt: null, reminded: false, answer: null, note: null, by: null, problem: null },
    ...more,
  };
}
