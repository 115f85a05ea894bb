import { FIRST_TABLES } from './first-tables.ts';
import { NOTICES } from './notices.ts';

/** A step of the database's form: forward only, never changed once released; a new form is a new number. */
export type Migration = { readonly number: number; readonly name: string; readonly statements: readonly string[] };

/** In order, without gaps. */
export const MIGRATIONS: readonly Migration[] = [
  { number: 1, name: 'first tables', statements: FIRST_TABLES },
  { number: 2, name: 'notices', statements: NOTICES },
];
