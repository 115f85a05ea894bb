import { CLEARED_OUTPUT } from '../../../src/core/agent/clear-readings.ts';
import type { TokenUsage, TranscriptMessage } from '../../../src/core/state/conversation.ts';
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
    const grown = total(run.usage) - (known.get(run.id) ?? 0);
    known.set(run.id, total(run.usage));
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
  switch (signal.type) {
    case 'model-responded':
      return total(signal.response.usage);
    case 'side-question-responded':
    case 'side-question-attempt-failed':
      return total(signal.usage);
    case 'model-attempt-failed':
    case 'model-failed':
    case 'side-question-failed':
    case 'readings-cleared':
      return signal.usage ? total(signal.usage) : 0;
    default:
      return 0;
  }
}
