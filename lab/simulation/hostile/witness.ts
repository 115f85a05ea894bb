import type { LogFields, Logger } from '../../../src/adapters/telemetry/log.ts';
import type { TranscriptMessage } from '../../../src/core/state/conversation.ts';
import { isInternalError } from '../../../src/worker/jobs/retries.ts';
import { checkTranscript } from '../../shared/check-transcript.ts';
import { CANARY } from './denied-files.ts';

/** The requests that a hostile model got in one case, and the errors that the App logged. */
export type Witness = {
  /** Returns the number of requests so far. */
  readonly onRequest: (messages: readonly TranscriptMessage[]) => number;
  readonly log: Logger;
  /** Each begins with the name of a promise. */
  readonly problems: readonly string[];
};

export function createWitness(): Witness {
  const problems: string[] = [];
  let requests = 0;
  /** An attempt that failed by a mistake of ours counts, even if the next one succeeds. */
  const noteError = (fields: LogFields, message: string): void => {
    const { err: error } = fields;
    const isExpected = error !== undefined && !isInternalError(error);
    if (!isExpected) problems.push(`error: ${message}: ${String(error)}`);
  };
  const log: Logger = {
    debug() {},
    info() {},
    warn: (fields, message) => (fields['err'] === undefined ? undefined : noteError(fields, message)),
    error: noteError,
    child: () => log,
  };
  return {
    problems,
    log,
    onRequest(messages) {
      requests += 1;
      for (const problem of checkTranscript(messages)) problems.push(`transcript: ${problem}`);
      for (const [index, message] of messages.entries()) {
        const found = message.role === 'assistant' ? null : CANARY.exec(message.content);
        if (found !== null) problems.push(`read: message ${index} (${message.role}) holds ${found[0]}`);
      }
      return requests;
    },
  };
}
