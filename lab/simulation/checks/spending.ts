import { CLEARED_OUTPUT } from '../../../src/core/agent/clear-readings.ts';
import type { TokenUsage, TranscriptMessage } from '../../../src/core/state/conversation.ts';
import type { Run } from '../../../src/core/state/run.ts';
import type { CaseCheck, SavedStep } from './evidence.ts';

/** Written here by hand, so that a tool that is added to the product's list by mistake is noticed. */
const READING_TOOL = /^(?:functions\.)?(?:read_file|list_files|search|outline|read_diff)$/i;

/** S169: every request has the whole conversation; only results of reading tools may be replaced by one line. */
export const onlyReadingsAreCleared: CaseCheck = ({ events }) => {
  const transcripts = new Map<string, readonly TranscriptMessage[]>();
  return events.flatMap((event) => {
    if (event.kind === 'saved' && event.result === 'saved') {
      const { pull, messages } = event.step;
      if (pull.run !== null) transcripts.set(pull.run.id, [...(transcripts.get(pull.run.id) ?? []), ...messages]);
    }
    if (event.kind !== 'asked') return [];
    const stored = transcripts.get(event.runId) ?? [];
    // A process that was taken over can still ask with an earlier transcript; its answer does not count.
    const changed = event.messages.filter((message, index) => !isKept(stored, index, message));
    return changed.map(({ role }) => `S169: a request of ${event.runId} has a message of ${role} changed`);
  });
};

function isKept(stored: readonly TranscriptMessage[], index: number, sent: TranscriptMessage): boolean {
  const original = stored[index];
  if (original === sent) return true;
  if (original === undefined || JSON.stringify(original) === JSON.stringify(sent)) return original !== undefined;
  if (sent.role !== 'tool' || original.role !== 'tool' || sent.content !== CLEARED_OUTPUT) return false;
  const asked = stored.slice(0, index).findLast(({ role }) => role === 'assistant');
  const calls = asked?.role === 'assistant' ? asked.toolCalls : [];
  return calls.some(({ id, name }) => id === sent.toolCallId && READING_TOOL.test(name));
}

/** S171: the tokens of a run grow with an answer only, by what it cost, and once for each answer. */
export const answersAreCountedOnce: CaseCheck = ({ saved }) => {
  const known = new Map<string, number>();
  const counted = new Set<string>();
  return saved.flatMap(({ saved: { signal, step } }) => {
    const { run } = step.pull;
    if (run === null) return [];
    const grown = total(run.spending.usage) - (known.get(run.id) ?? 0);
    known.set(run.id, total(run.spending.usage));
    const isDropped = grown === 0 && signal.type === 'readings-cleared' && signal.runId === run.id;
    if (isDropped && costOf(signal) > 0) return [`S171: ${run.id} does not count what a refused request cost`];
    if (grown === 0) return [];
    if (grown !== costOf(signal)) return [`S171: ${run.id} counts ${grown} tokens for a ${signal.type}`];
    if (signal.type !== 'model-responded') return [];
    const key = `${signal.runId} ${signal.turn}`;
    const isRepeated = counted.has(key);
    counted.add(key);
    return isRepeated ? [`S171: response ${key} is counted twice`] : [];
  });
};

function total({ inputTokens, outputTokens }: TokenUsage): number {
  return inputTokens + outputTokens;
}

function costOf(signal: SavedStep['signal']): number {
  const usage = usageOf(signal);
  return usage === null ? 0 : total(usage);
}

function usageOf(signal: SavedStep['signal']): TokenUsage | null {
  switch (signal.type) {
    case 'model-responded':
      return signal.response.usage;
    case 'side-question-answered':
      return signal.usage;
    case 'model-attempt-failed':
    case 'model-failed':
      return signal.cost ?? null;
    case 'readings-cleared':
      return signal.usage ?? null;
    default:
      return null;
  }
}

/** The spending of a run, in all and since its limits last began anew; counted here, beside the product. */
type Account = {
  readonly start: string;
  tokens: number;
  dollars: number;
  renewed: { tokens: number; dollars: number };
};

/** Dollars for a million tokens of input, cached input and output, by hand. */
const PRICES: Readonly<Record<string, readonly [number, number, number]>> = {
  large: [2, 0.5, 10],
  small: [1, 0.25, 4],
};

/** Requests that only repeat one which was allowed. */
const REPEATED_REQUESTS: ReadonlySet<string> = new Set(['readings-cleared', 'context-read']);

/** S171: a run keeps limits and model of its start, asks nothing beyond them, and `/resume` renews them. */
export const limitsOfRunsHold: CaseCheck = ({ saved }) => {
  const accounts = new Map<string, Account>();
  return saved.flatMap(({ saved: { signal, step, before } }) => {
    const { run, proposals } = step.pull;
    if (run === null) return [];
    const problem = (text: string): string => `S171: ${run.id} ${text} at a ${signal.type}`;
    const { limits, model } = run.settings;
    const account = accounts.get(run.id) ?? openAccount(run);
    accounts.set(run.id, account);
    if (account.start !== JSON.stringify([limits, model])) return [problem('has other limits than at its start')];
    const usage = usageOf(signal);
    const grown = total(run.spending.usage) - account.tokens;
    if (grown > 0 && usage !== null) account.dollars += dollarsOf(usage, model ?? '');
    account.tokens += grown;
    if (step.reason === 'resumed') account.renewed = { tokens: account.tokens, dollars: account.dollars };
    const counted = run.spending.costUsd ?? Number.NaN;
    if (!(Math.abs(counted - account.dollars) < 1e-9)) return [problem(`counts $${counted}, not $${account.dollars}`)];
    const isNew = proposals.some(({ id }) => !before.has(id));
    const waiting = proposals.filter(({ state, runId }) => runId === run.id && WAITING.has(state)).length;
    if (signal.type === 'tools-finished' && isNew && waiting > limits.proposalsPerTurn)
      return [problem(`has ${waiting} changes waiting`)];
    const asks = step.effects.some(({ type }) => type === 'ask-model') && !REPEATED_REQUESTS.has(step.reason);
    if (asks && account.tokens - account.renewed.tokens >= limits.tokens) return [problem('asks beyond its tokens')];
    const isTooDear = account.dollars - account.renewed.dollars >= (limits.costUsd ?? Number.POSITIVE_INFINITY);
    return asks && isTooDear ? [problem('asks beyond its cost')] : [];
  });
};

/** Without `executing`: nobody has to look at an undo that is being committed while the run proposes. */
const WAITING: ReadonlySet<string> = new Set(['proposed', 'approved']);

function openAccount({ settings: { limits, model } }: Run): Account {
  const start = JSON.stringify([limits, model]);
  return { start, tokens: 0, dollars: 0, renewed: { tokens: 0, dollars: 0 } };
}

function dollarsOf({ inputTokens, cachedInputTokens, outputTokens }: TokenUsage, model: string): number {
  const [input, cached, output] = PRICES[model] ?? [Number.NaN, Number.NaN, Number.NaN];
  return ((inputTokens - cachedInputTokens) * input + cachedInputTokens * cached + outputTokens * output) / 1_000_000;
}

/** The time within which runs are counted (ms), by hand like the prices. */
const RUN_LIMIT_WINDOW_MS = 86_400_000;

/** The step is saved a moment before it is seen here. */
const TOLERANCE_MS = 60_000;

/**
 * H4: no more runs start, or begin their limits anew, in the repository within a day than the settings of the last one
 * allow. An installation anew begins anew, because the App deletes what it knows when it is removed.
 */
export const runsOfADayAreLimited: CaseCheck = ({ saved, events }) => {
  const known = new Set<string>();
  const starts: { readonly at: number; readonly by: number; readonly installationId: number }[] = [];
  return saved.flatMap(({ index, saved: { step } }) => {
    const { run } = step.pull;
    const isResumed = step.reason === 'resumed';
    if (run === null || (known.has(run.id) && !isResumed)) return [];
    known.add(run.id);
    const at = events[index]?.at ?? 0;
    const by = (isResumed ? run.lastResumption?.by.id : null) ?? run.task.by.id;
    const { installationId } = step.pull.ref;
    starts.push({ at, by, installationId });
    // A resumed run keeps the limits of its start, but counts against those of the repository at that time.
    const limits = isResumed ? step.runStart : run.settings.limits;
    if (limits === null) return [`H4: ${run.id} goes on and counts for no day`];
    const ofDay = starts.filter(
      (start) => start.installationId === installationId && start.at > at - RUN_LIMIT_WINDOW_MS + TOLERANCE_MS,
    );
    const ofPerson = ofDay.filter((start) => start.by === by);
    const { runsPerDay, runsPerPersonPerDay } = limits;
    const isAllowed = ofDay.length <= runsPerDay && ofPerson.length <= (runsPerPersonPerDay ?? ofPerson.length);
    return isAllowed ? [] : [`H4: ${run.id} is one run too many of its day`];
  });
};
