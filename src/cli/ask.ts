import process from 'node:process';
import { askOperatorSocket } from '../adapters/http/operator-socket.ts';
import { DatabaseError } from '../adapters/store/engine/errors.ts';
import { type Backend, fromStored } from '../adapters/store/engine/schema.ts';
import type { RequiredSchema } from '../adapters/store/open.ts';
import type { OperatorAnswer, OperatorInput, OperatorQuestion } from '../adapters/store/operator.ts';
import { loadDatabaseConfig } from '../app/config/env.ts';
import { escapeHiddenInJson } from '../core/edits/text/characters.ts';
import { reportProblem } from './options.ts';

/** Asks one question. Throws `DatabaseError` with a message for the operator. */
export type Ask = <Question extends OperatorQuestion>(
  question: Question,
  input: OperatorInput<Question>,
) => Promise<OperatorAnswer<Question>>;

/**
 * Runs a command that asks the database that DATABASE_URL or DATA_DIR names. A server holds its embedded database, so
 * it is asked itself then. Problems are one line on standard error, and the exit code 2.
 */
export async function withDatabase(
  name: string,
  run: (ask: Ask) => Promise<number>,
  requires?: RequiredSchema,
): Promise<number> {
  const opened: Backend[] = [];
  const ask = async <Question extends OperatorQuestion>(
    question: Question,
    input: OperatorInput<Question>,
  ): Promise<OperatorAnswer<Question>> => {
    const { url: databaseUrl, dataDir } = loadLocation();
    const asksServer = opened.length === 0 && databaseUrl === null && dataDir !== null;
    const answer = asksServer ? await askOperatorSocket(dataDir, question, input) : null;
    if (answer?.kind === 'answer') return fromStored(answer.json);
    if (answer?.kind === 'refused')
      throw new DatabaseError('The running server cannot answer; its log says why. Use the version that it runs.');
    // Loaded late: with a running server the command needs no database.
    const { openLedger } = await import('../adapters/store/open.ts');
    const { answerOperator } = await import('../adapters/store/operator.ts');
    const backend = opened[0] ?? (await openLedger({ databaseUrl, dataDir }, requires));
    opened[0] = backend;
    return answerOperator(backend.db, question, input);
  };
  try {
    return await run(ask);
  } catch (error) {
    if (error instanceof DatabaseError) return reportProblem(name, error.message);
    throw error;
  } finally {
    await opened[0]?.close();
  }
}

function loadLocation() {
  const loaded = loadDatabaseConfig();
  if (loaded.kind === 'problems') throw new DatabaseError(loaded.problems.join(' '));
  return loaded.database;
}

/** The beginning of a text of people or of the model, in one line. */
export function inOneLine(text: string, length: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= length ? line : `${line.slice(0, length - 1).toWellFormed()}…`;
}

/** The largest unit of a duration, such as `3 h`. */
export function formatAge(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes < 60) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / (24 * 60))} d`;
}

export function printJson(value: unknown): void {
  process.stdout.write(`${escapeHiddenInJson(JSON.stringify(value, null, 2))}\n`);
}
