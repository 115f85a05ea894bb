import { BUDGETS } from './budgets.ts';
import { EFFECT_FAULTS } from './effect-faults.ts';
import { EXPIRY } from './expiry.ts';
import { FAULTS } from './faults.ts';
import { FIRST_TABLES } from './first-tables.ts';
import { FORMER_COMMENTS } from './former-comments.ts';
import { GOING_ON } from './going-on.ts';
import { HEARTBEAT } from './heartbeat.ts';
import { LEDGER } from './ledger.ts';
import { LIMITED } from './limited.ts';
import { NOTICES } from './notices.ts';
import { OPEN_PROPOSALS } from './open-proposals.ts';
import { QUEUES } from './queues.ts';
import { SWEEPS } from './sweeps.ts';

/** A step of the database's form: forward only, never changed once released; a new form is a new number. */
export type Migration = { readonly number: number; readonly name: string; readonly statements: readonly string[] };

/** In order, without gaps. */
export const MIGRATIONS: readonly Migration[] = [
  { number: 1, name: 'first tables', statements: FIRST_TABLES },
  { number: 2, name: 'notices', statements: NOTICES },
  { number: 3, name: 'open proposals', statements: OPEN_PROPOSALS },
  { number: 4, name: 'ledger', statements: LEDGER },
  { number: 5, name: 'sweeps', statements: SWEEPS },
  { number: 6, name: 'former comments', statements: FORMER_COMMENTS },
  { number: 7, name: 'faults', statements: FAULTS },
  { number: 8, name: 'expiry', statements: EXPIRY },
  { number: 9, name: 'budgets', statements: BUDGETS },
  { number: 10, name: 'effect faults', statements: EFFECT_FAULTS },
  { number: 11, name: 'heartbeat', statements: HEARTBEAT },
  { number: 12, name: 'queues', statements: QUEUES },
  { number: 13, name: 'going on', statements: GOING_ON },
  { number: 14, name: 'limited', statements: LIMITED },
];
