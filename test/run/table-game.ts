import { blobSha } from '../../src/change/blob.ts';
import { buildEdit } from '../../src/change/build-edit.ts';
import type { Change } from '../../src/change/change.ts';
import { encodeText } from '../../src/change/text.ts';
import type { Actor, Command, Place, SaidIntent, Utterance } from '../../src/command/intent.ts';
import { DEFAULT_SETTINGS, type SettingsReading } from '../../src/policy/settings.ts';
import type { Message, ToolCall } from '../../src/prompt/message.ts';
import { decide } from '../../src/run/decide.ts';
import type { Effect } from '../../src/run/effect.ts';
import type { Facts, PullFacts } from '../../src/run/facts.ts';
import type { Permission, Proposal, Vote } from '../../src/run/proposal.ts';
import { newPull, type Pull } from '../../src/run/run.ts';
import type { Signal } from '../../src/run/signal.ts';
import type { Step } from '../../src/run/step.ts';
import { mayMove } from '../../src/run/transition.ts';

export const REF = { installationId: 7, repositoryId: 70, owner: 'acme', repo: 'shop', number: 5 };
export const ANA: Actor = { id: 11, login: 'ana', type: 'User', viaApp: false };
export const BEN: Actor = { id: 12, login: 'ben', type: 'User', viaApp: false };

const SELF = { slug: 'countersign', botId: 999 };
const LINES = Array.from({ length: 60 }, (_, index) => `line ${index + 1}\n`);
export const FILE_TEXT = LINES.join('');

/** An edit of one line of the game's only file. */
export function editOf(line: number, to: string): Change {
  const bytes = encodeText(FILE_TEXT);
  const ref = { blob: blobSha(bytes), mode: '100644' } as const;
  const oldString = `line ${line}\nline ${line + 1}\n`;
  const newString = `${to}\nline ${line + 1}\n`;
  const built = buildEdit({
    path: 'src/a.txt',
    sandbox: 'shop',
    file: { ref, bytes },
    oldString,
    newString,
    replaceAll: false,
  });
  if (built.kind !== 'change') throw new Error(built.output);
  return built.change;
}

/** A pull request played by hand: signals go in, effects are kept until somebody plays their outcome. */
export class TableGame {
  pull: Pull = newPull(REF);
  /** As it was before the last signal. */
  before: Pull = this.pull;
  effects: Effect[] = [];
  transcript: Message[] = [];
  votes: Vote[] = [];
  steps: Step[] = [];
  /** The repository's settings as they are now. */
  settings: SettingsReading = { kind: 'settings', settings: DEFAULT_SETTINGS };
  readonly problems: string[] = [];
  #second = 0;
  #comment = 1000;

  facts(more: Partial<Facts> = {}): Facts {
    const shown = this.pull.proposals.flatMap(({ comment }) => (comment === null ? [] : [comment]));
    const bodyHashes = Object.fromEntries(shown.map(({ id, bodyHash }) => [id, bodyHash]));
    const known = { pull: this.github(), changedPaths: ['src/a.txt'], bodyHashes, settings: this.settings };
    return { now: this.now(), self: SELF, served: true, ...known, ...more };
  }

  github(more: Partial<PullFacts> = {}): PullFacts {
    const author = { id: BEN.id, login: BEN.login };
    const branches = { baseRef: 'main', baseSha: 'b'.repeat(40), headRef: 'topic', headSha: 'h'.repeat(40) };
    return {
      state: 'open',
      draft: false,
      title: 'A title',
      author,
      fork: false,
      changedFiles: 1,
      ...branches,
      ...more,
    };
  }

  /** Time goes on by a second with each look. */
  now(): string {
    this.#second += 1;
    return new Date(Date.UTC(2026, 0, 1, 0, 0, this.#second)).toISOString().replace('.000', '');
  }

  /** So many hours go by. */
  later(hours: number): void {
    this.#second += hours * 3_600;
  }

  signal(signal: Signal, facts: Partial<Facts> = {}): Step {
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
    utterance: Utterance,
    options: { place?: Place; permission?: Permission; createdAt?: string; pull?: PullFacts } = {},
  ): Step {
    const place = options.place ?? { at: 'conversation', commentId: this.nextComment() };
    const createdAt = options.createdAt ?? this.now();
    const intent: SaidIntent = {
      kind: 'said',
      pull: REF,
      actor,
      place,
      utterance,
      quotedIds: [],
      createdAt,
      bodyHash: '0'.repeat(64),
      reviewState: null,
    };
    const deliveryId = `delivery-${this.nextComment()}`;
    const { permission = 'write', pull = this.github() } = options;
    return this.signal({ type: 'intent', deliveryId, intent }, { permission, pull });
  }

  commands(actor: Actor, command: Command, options: Parameters<TableGame['says']>[2] = {}): Step {
    return this.says(actor, { kind: 'command', command, addressed: command.name === 'task' }, options);
  }

  /** Where a reply to that proposal stands. */
  threadOf(proposal: Proposal): Place {
    const rootId = proposal.comment?.id ?? 0;
    return {
      at: 'thread',
      commentId: this.nextComment(),
      rootId,
      reviewId: null,
      path: proposal.change.path,
      line: 1,
      diffHunk: '',
    };
  }

  nextComment(): number {
    this.#comment += 1;
    return this.#comment;
  }

  /** Takes the oldest effect of that kind off the table. */
  take<Type extends Effect['type']>(type: Type): Extract<Effect, { type: Type }> | null {
    const index = this.effects.findIndex((effect) => effect.type === type);
    const effect = this.effects[index];
    if (effect === undefined || !isOf(effect, type)) return null;
    this.effects.splice(index, 1);
    return effect;
  }

  /** The model answers the request that is on the table. */
  modelReplies(calls: readonly ToolCall[], content: string | null = null, finishReason = 'stop'): void {
    const asked = this.take('ask-model');
    if (asked === null) return;
    const usage = { input: 10, cachedInput: 0, output: 5 };
    const reply = { content, calls, finishReason, usage };
    this.signal({ type: 'model-replied', runId: asked.runId, turn: asked.turn, reply });
  }

  /** The model gives no answer to the request that is on the table, and will not be asked again by itself. */
  modelFails(): void {
    const asked = this.take('ask-model');
    if (asked === null) return;
    this.signal({ type: 'model-failed', runId: asked.runId, turn: asked.turn, message: 'gone' });
  }

  /** The model answers the question that is on the table. */
  questionIsAnswered(): void {
    const asked = this.take('ask-question');
    if (asked === null) return;
    const said = { kind: 'words', content: 'So.', usage: { input: 3, cachedInput: 0, output: 2 } } as const;
    this.signal({ type: 'question-answered', question: asked.question, said });
  }

  /** The tools answer: a call whose arguments are `edit <line> <text>` becomes a change, any other an output. */
  toolsAnswer(): void {
    const used = this.take('use-tools');
    if (used === null) return;
    const results = used.calls.map((call) => {
      const [verb, line, text] = call.arguments.split(' ');
      if (verb !== 'edit')
        return { callId: call.id, kind: 'output' as const, output: `read ${call.arguments}`, read: null };
      const change = editOf(Number(line), text ?? '');
      return { callId: call.id, kind: 'change' as const, tool: 'edit_file' as const, reason: null, change };
    });
    this.signal({ type: 'tools-used', runId: used.runId, turn: used.turn, head: 'h'.repeat(40), results });
  }

  reviewIsPosted(): void {
    const post = this.take('post-review');
    if (post === null) return;
    const createdAt = this.now();
    const proposals = post.proposalIds.map((proposalId) => ({
      proposalId,
      placement: { kind: 'suggestion', path: 'src/a.txt', startLine: null, line: 1, lines: ['x'] } as const,
      comment: {
        kind: 'review-comment',
        id: this.nextComment(),
        nodeId: 'n',
        createdAt,
        bodyHash: '',
        url: 'https://github.com/x',
      } as const,
      parts: [],
    }));
    this.signal({ type: 'review-posted', runId: post.runId, turn: post.turn, proposals, reviews: [], unshown: [] });
  }

  /** An attempt to commit begins; answers which proposals went into it. */
  commitBegins(
    permission: Permission = 'write',
    base = this.pull.run?.baseRef ?? '',
  ): { runId: string; ids: readonly string[] } | null {
    const commit = this.effects.find((effect) => effect.type === 'commit');
    if (commit === undefined || commit.type !== 'commit') return null;
    const checks = this.pull.proposals
      .filter((one) => commit.proposalIds.includes(one.id) && (one.state === 'approved' || one.state === 'executing'))
      .map((one) => ({
        proposalId: one.id,
        verdict: { kind: 'applies', region: one.change.region ?? never(), sameDigest: true } as const,
        permissions: { [ANA.id]: permission, [BEN.id]: permission },
      }));
    this.signal({
      type: 'commit-starting',
      runId: commit.runId,
      head: 'h'.repeat(40),
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
      proposalIds: attempt.ids,
      made: {},
      files: [],
    });
  }

  commitFails(attempt: { runId: string; ids: readonly string[] }): void {
    this.take('commit');
    this.signal({
      type: 'commit-failed',
      runId: attempt.runId,
      proposalIds: attempt.ids,
      byRule: false,
      message: 'refused',
    });
  }

  /** Every proposal's way must be one that the table of transitions has, step by step or through an unseen state. */
  #check(before: Pull, step: Step): void {
    for (const now of step.pull.proposals) {
      const was = before.proposals.find((one) => one.id === now.id);
      if (was === undefined || was.state === now.state) continue;
      const direct = mayMove(was.state, now.state);
      const throughApproved = was.state === 'executing' && mayMove('approved', now.state);
      const throughExecuting = was.state === 'approved' && mayMove('executing', now.state);
      if (!direct && !throughApproved && !throughExecuting)
        this.problems.push(`${now.id}: ${was.state} to ${now.state}`);
    }
  }
}

function isOf<Type extends Effect['type']>(effect: Effect, type: Type): effect is Extract<Effect, { type: Type }> {
  return effect.type === type;
}

function never(): never {
  throw new Error('a change without a region in the game');
}
