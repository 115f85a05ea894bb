import type { Kysely } from 'kysely';
import { storedAs } from '../../lib/trust.ts';
import { findSchemaVersion } from './engine/migrate.ts';
import type { DatabaseSchema } from './engine/schema.ts';
import { inspectPull } from './inspect-pull.ts';
import { findPullKeys, listLedgerKeys, readAnswers, readLedger } from './ledger.ts';
import { listPending } from './list-pending.ts';
import { pause, unpause } from './pauses.ts';
import { report } from './report.ts';

/** What an operator can ask of the database, by name. Inputs and answers are JSON. */
const QUESTIONS = {
  ...{
    pending: listPending,
    inspect: inspectPull,
    pause,
    unpause,
    report,
    schema: (db: Kysely<DatabaseSchema>, _: null) => findSchemaVersion(db),
  },
  ...{ pullKeys: findPullKeys, ledgerKeys: listLedgerKeys, ledger: readLedger, answers: readAnswers },
} as const;

export type OperatorQuestion = keyof typeof QUESTIONS;

export type OperatorInput<Question extends OperatorQuestion> = Parameters<(typeof QUESTIONS)[Question]>[1];

export type OperatorAnswer<Question extends OperatorQuestion> = Awaited<ReturnType<(typeof QUESTIONS)[Question]>>;

/** Whether a text names a question. */
export function isOperatorQuestion(name: string): name is OperatorQuestion {
  return Object.hasOwn(QUESTIONS, name);
}

/** Answers one question. `input` has the type that belongs to the question. */
export function answerOperator<Question extends OperatorQuestion>(
  db: Kysely<DatabaseSchema>,
  question: Question,
  input: unknown,
): Promise<OperatorAnswer<Question>> {
  return storedAs(QUESTIONS[question](db, storedAs(input)));
}
