import { hash } from 'node:crypto';
import { decide } from '../../../../src/core/decide.ts';
import { buildEdit } from '../../../../src/core/edits/build/build-text.ts';
import { type FileChange, mainPath, singleChange } from '../../../../src/core/edits/change.ts';
import { blobSha, encodeText } from '../../../../src/core/edits/text/characters.ts';
import type { ToolCall, TranscriptMessage } from '../../../../src/core/state/conversation.ts';
import type {
  Actor,
  Command,
  CommentIntent,
  CommentLocation,
  ParsedComment,
} from '../../../../src/core/state/intent.ts';
import { commentKey } from '../../../../src/core/state/posted-comment.ts';
import { canTransition, type Proposal } from '../../../../src/core/state/proposal.ts';
import { createPullState, type PullState } from '../../../../src/core/state/pull-state.ts';
import { DEFAULT_SETTINGS, type SettingsReading } from '../../../../src/core/state/settings.ts';
import { UNREADABLE_CONTEXT } from '../../../../src/core/state/task-context.ts';
import { type Permission, type Vote, type VoteSource, voteSourceKey } from '../../../../src/core/state/vote.ts';
import type { Effect } from '../../../../src/core/step/effects.ts';
import type { Facts, PullFacts } from '../../../../src/core/step/facts.ts';
import type { Signal } from '../../../../src/core/step/signals.ts';
import type { Step } from '../../../../src/core/step/step.ts';

export const REF = { installationId: 7, repositoryId: 70, owner: 'acme', repo: 'shop', number: 5 };

export const ANA: Actor & { readonly type: 'User' } = { id: 11, login: 'ana', type: 'User' };

export const BEN: Actor & { readonly type: 'User' } = { id: 12, login: 'ben', type: 'User' };

const SELF = { slug: 'countersign', botId: 999 };

const LINES = Array.from({ length: 60 }, (_, index) => `line ${index + 1}\n`);

export const FILE_TEXT = LINES.join('');

/** An edit of one line of the only file. */
export function editOf(line: number, to: string): FileChange {
  const bytes = encodeText(FILE_TEXT);
  const ref = { blob: blobSha(bytes), mode: '100644' } as const;
  const oldString = `line ${line}\nline ${line + 1}\n`;
  const newString = `${to}\nline ${line + 1}\n`;
  const built = buildEdit({
    path: 'src/a.txt',
    repositoryName: 'shop',
    file: { ref, bytes },
    edits: [{ oldString, newString, replaceAll: false }],
  });
  if (built.kind !== 'change') throw new Error(built.output);
  return built.change;
}

/** A game whose run has proposed an edit of each of these lines in one response. They are pending. */
export function posted(...lines: readonly number[]): TableGame {
  const game = new TableGame();
  game.commands(ANA, { name: 'task', text: 'do it' });
  game.modelReplies(lines.map((line) => ({ id: `call-${line}`, name: 'edit_file', arguments: `edit ${line} other` })));
  game.toolsAnswer();
  game.reviewIsPosted();
  return game;
}

/** A pull request without a worker: signals go in, and effects are kept until a test plays their outcome. */
export class TableGame {
  pull: PullState = createPullState(REF);
  /** The state before the last signal. */
  before: PullState = this.pull;
  effects: Effect[] = [];
  transcript: TranscriptMessage[] = [];
  votes: Vote[] = [];
  steps: Step[] = [];
  /** The current settings of the repository. */
  settings: SettingsReading = { kind: 'settings', settings: DEFAULT_SETTINGS };
  /** The comments of people, as GitHub shows them now. */
  readonly voteSources: Record<string, VoteSource> = {};
  readonly problems: string[] = [];
  readsContext = true;
  #second = 0;
  #comment = 1000;

  facts(more: Partial<Facts> = {}): Facts {
    const shown = this.pull.proposals.flatMap(({ comment }) => (comment === null ? [] : [comment]));
    const commentHashes = Object.fromEntries(shown.map((one) => [commentKey(one), one.bodyHash]));
    const known: Partial<Facts> = {
      missingPermissions: [],
      reachedRunLimit: null,
      pullRequest: this.github(),
      commentHashes,
      settings: this.settings,
    };
    return { now: this.now(), app: SELF, ownerAllowed: true, ...known, ...more };
  }

  github(more: Partial<PullFacts> = {}): PullFacts {
    const author = { id: BEN.id, login: BEN.login };
    const branches = { baseRef: 'main', baseSha: 'b'.repeat(40), headRef: 'topic', headSha: 'h'.repeat(40) };
    return {
      state: 'open',
      draft: false,
      title: 'A title',
      description: '',
      labels: [],
      author,
      fork: false,
      changedFiles: 1,
      approvals: 0,
      defaultBranch: 'main',
      ...branches,
      ...more,
    };
  }

  /** The clock advances by 1 s with each call. */
  now(): string {
    this.#second += 1;
    return new Date(Date.UTC(2026, 0, 1, 0, 0, this.#second)).toISOString().replace('.000', '');
  }

  /** Advances the clock. */
  later(hours: number): void {
    this.#second += hours * 3_600;
  }

  /** Applies a signal. What a run begins with is read at once, unless the test plays that itself. */
  signal(signal: Signal, facts: Partial<Facts> = {}): Step {
    const step = this.#apply(signal, facts);
    if (this.readsContext) this.contextIsRead();
    return step;
  }

  /** Plays the reading of a new run's context. */
  contextIsRead(): void {
    const reading = this.take('read-context');
    if (reading === null) return;
    const { runId, pull } = reading;
    this.#apply({ type: 'context-read', runId, pull, context: UNREADABLE_CONTEXT }, {});
  }

  #apply(signal: Signal, facts: Partial<Facts>): Step {
    const before = this.pull;
    this.before = before;
    const step = decide(before, signal, this.facts(facts));
    this.#check(before, step);
    this.pull = step.pull;
    this.effects.push(...step.effects);
    this.votes.push(...step.votes);
    this.transcript =
      before.run?.id === step.pull.run?.id ? [...this.transcript, ...step.messages] : [...step.messages];
    this.steps.push(step);
    return step;
  }

  says(
    actor: Actor,
    parsed: ParsedComment,
    options: { place?: CommentLocation; permission?: Permission; createdAt?: string; pull?: PullFacts } = {},
  ): Step {
    const location = options.place ?? { at: 'conversation', commentId: this.nextComment() };
    const createdAt = options.createdAt ?? this.now();
    const intent: CommentIntent = {
      kind: 'comment',
      pull: REF,
      actor,
      location,
      parsed,
      quotedIds: [],
      quote: null,
      createdAt,
      bodyHash: this.posts(actor, bodyOf(parsed), location, createdAt),
      reviewState: null,
    };
    const deliveryId = `delivery-${this.nextComment()}`;
    const { permission = 'write', pull: pullRequest = this.github() } = options;
    return this.signal({ type: 'intent', deliveryId, intent }, { permission, pullRequest });
  }

  /** Puts a comment on the page; returns the hash of its text. */
  posts({ id: authorId }: Actor, body: string, location: CommentLocation, createdAt: string): string {
    const commentId = location.at === 'review' ? location.reviewId : location.commentId;
    const thread = location.at === 'thread' ? { rootId: location.rootId, reviewId: location.reviewId } : null;
    const reviewState = location.at === 'review' ? 'commented' : null;
    const source = { authorId, authorLogin: null, body, createdAt, viaApp: false, thread, reviewState } as const;
    if (location.at !== 'check') this.voteSources[voteSourceKey({ surface: location.at, commentId })] = source;
    return hash('sha256', body, 'hex');
  }

  commands(actor: Actor, command: Command, options: Parameters<TableGame['says']>[2] = {}): Step {
    return this.says(actor, { kind: 'command', command, addressedToApp: command.name === 'task' }, options);
  }

  /** The location of a reply to the proposal. */
  threadOf(proposal: Proposal): CommentLocation {
    const rootId = proposal.comment?.id ?? 0;
    return {
      at: 'thread',
      commentId: this.nextComment(),
      rootId,
      reviewId: null,
      path: mainPath(proposal.change),
      line: 1,
      startLine: null,
      side: null,
      diffHunk: '',
    };
  }

  nextComment(): number {
    this.#comment += 1;
    return this.#comment;
  }

  /** Removes and returns the oldest effect of this type. */
  take<Type extends Effect['type']>(type: Type): Extract<Effect, { type: Type }> | null {
    const index = this.effects.findIndex((effect) => effect.type === type);
    const effect = this.effects[index];
    if (effect === undefined || !isOf(effect, type)) return null;
    this.effects.splice(index, 1);
    return effect;
  }

  /** Plays the response to the pending model request. */
  modelReplies(toolCalls: readonly ToolCall[], content: string | null = null, finishReason = 'stop'): void {
    const asked = this.take('ask-model');
    if (asked === null) return;
    const usage = { inputTokens: 10, cachedInputTokens: 0, outputTokens: 5 };
    const response = { content, toolCalls, finishReason, usage };
    this.signal({ type: 'model-responded', runId: asked.runId, turn: asked.turn, response });
  }

  /** Plays the final failure of the pending model request. */
  modelFails(): void {
    const asked = this.take('ask-model');
    if (asked === null) return;
    this.signal({ type: 'model-failed', runId: asked.runId, turn: asked.turn, failure: null, message: 'gone' });
  }

  /** Plays the answer to the pending question. */
  sideQuestionIsAnswered(): void {
    const asked = this.take('answer-side-question');
    if (asked === null) return;
    const outcome = { kind: 'answered', content: 'So.', caveat: null } as const;
    const usage = { inputTokens: 3, cachedInputTokens: 0, outputTokens: 2 };
    this.signal({ type: 'side-question-answered', questionId: asked.questionId, outcome, usage });
  }

  /** Plays the tools: a call with the arguments `edit <line> <text>` becomes a change, any other an output. */
  toolsAnswer(): void {
    const used = this.take('run-tools');
    if (used === null) return;
    const results = used.calls.map(({ turn, toolCall }) => {
      const call = { turn, callId: toolCall.id };
      const [verb, line, text] = toolCall.arguments.split(' ');
      if (verb !== 'edit') return { ...call, kind: 'output' as const, output: `read ${toolCall.arguments}` };
      const change = singleChange(editOf(Number(line), text ?? ''));
      return { ...call, kind: 'change' as const, calls: [call], tool: 'edit_file' as const, reason: null, change };
    });
    this.signal({ type: 'tools-finished', runId: used.runId, turn: used.turn, headSha: 'h'.repeat(40), results });
  }

  /** The App learns of the review this many hours after it was posted. */
  reviewIsPosted(hoursLater = 0): void {
    const post = this.take('post-proposals');
    if (post === null) return;
    const createdAt = this.now();
    this.later(hoursLater);
    const proposals = post.proposalIds.map((proposalId) => ({
      proposalId,
      placement: { kind: 'suggestion', path: 'src/a.txt', startLine: null, line: 1, lines: ['x'] } as const,
      comment: {
        kind: 'review-comment',
        id: this.nextComment(),
        nodeId: 'n',
        createdAt,
        bodyHash: '',
        url: 'https://github.com/acme/shop/pull/5#discussion_r1',
      } as const,
    }));
    this.signal({
      type: 'proposals-posted',
      runId: post.runId,
      turn: post.turn,
      proposals,
      reviews: [],
      unpostable: [],
    });
  }

  /** Starts a commit attempt; returns the proposals in it. */
  commitBegins(
    permission: Permission = 'write',
    base = this.pull.run?.assessed.baseRef ?? '',
  ): { runId: string; ids: readonly string[] } | null {
    const commit = this.effects.find((effect) => effect.type === 'commit');
    if (commit === undefined || commit.type !== 'commit') return null;
    const checks = this.pull.proposals
      .filter((one) => commit.proposalIds.includes(one.id) && (one.state === 'approved' || one.state === 'executing'))
      .map((one) => ({
        proposalId: one.id,
        verdicts: one.change.members.map(
          ({ region }) => ({ kind: 'applies', region: region ?? never(), sameDigest: true }) as const,
        ),
        permissions: { [ANA.id]: permission, [BEN.id]: permission },
        voteSources: this.voteSources,
      }));
    this.signal({
      type: 'commit-preflight',
      runId: commit.runId,
      headSha: 'h'.repeat(40),
      baseRef: base,
      checks,
      settings: this.settings,
    });
    const ids = this.pull.proposals
      .filter((one) => commit.proposalIds.includes(one.id) && one.state === 'executing')
      .map((one) => one.id);
    if (ids.length === 0) this.take('commit');
    return { runId: commit.runId, ids };
  }

  commitLands(attempt: { runId: string; ids: readonly string[] }): void {
    this.take('commit');
    this.signal({
      type: 'committed',
      runId: attempt.runId,
      sha: 'c'.repeat(40),
      parentSha: null,
      proposalIds: attempt.ids,
      committedVersions: {},
      files: [],
    });
  }

  commitFails(attempt: { runId: string; ids: readonly string[] }): void {
    this.take('commit');
    this.signal({
      type: 'commit-failed',
      runId: attempt.runId,
      proposalIds: attempt.ids,
      refusedByRule: false,
      message: 'refused',
    });
  }

  /** Every change of state must be in the table of transitions, directly or through one state. */
  #check(before: PullState, step: Step): void {
    for (const now of step.pull.proposals) {
      const was = before.proposals.find((one) => one.id === now.id);
      if (was === undefined || was.state === now.state) continue;
      const direct = canTransition(was.state, now.state);
      const throughApproved = was.state === 'executing' && canTransition('approved', now.state);
      const throughExecuting = was.state === 'approved' && canTransition('executing', now.state);
      if (!direct && !throughApproved && !throughExecuting)
        this.problems.push(`${now.id}: ${was.state} to ${now.state}`);
    }
  }
}

/** A text that is read as this comment, where it approves. */
function bodyOf(parsed: ParsedComment): string {
  if (parsed.kind === 'text') {
    const { text, suggestion } = parsed;
    return [text, ...(Array.isArray(suggestion) ? ['```suggestion', ...suggestion, '```'] : [])].join('\n');
  }
  if (parsed.kind !== 'command' || parsed.command.name !== 'approve') return '(something else)';
  const { targets } = parsed.command;
  const named = targets.by === 'ids' ? targets.ids.join(' ') : targets.by === 'all' ? 'all' : '';
  return `/approve ${named}`;
}

function isOf<Type extends Effect['type']>(effect: Effect, type: Type): effect is Extract<Effect, { type: Type }> {
  return effect.type === type;
}

function never(): never {
  throw new Error('The change has no region');
}
