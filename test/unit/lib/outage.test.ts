import { describe, expect, it } from 'vitest';
import { isOutage } from '../../../src/lib/outage.ts';

function failed(message: string, code?: string): Error {
  return Object.assign(new Error(message), code === undefined ? {} : { code });
}

describe('isOutage (G8)', () => {
  it.each([
    failed('terminating connection due to administrator command', '57P01'),
    failed('the database system is starting up', '57P03'),
    failed('connection failure', '08006'),
    failed('sorry, too many clients already', '53300'),
    failed('could not extend file: No space left on device', '53100'),
    failed('deadlock detected', '40P01'),
    failed('cannot execute INSERT in a read-only transaction', '25006'),
    failed('password authentication failed for user "me"', '28P01'),
    failed('permission denied for table runs', '42501'),
    failed('relation "inbox" does not exist', '42P01'),
    failed('no schema has been selected to create in', '3F000'),
    failed('database "countersign" does not exist', '3D000'),
    failed('database "countersign" is not currently accepting connections', '55000'),
    failed('connect ECONNREFUSED 127.0.0.1:5432', 'ECONNREFUSED'),
    failed('read ECONNRESET', 'ECONNRESET'),
    failed('Connection terminated unexpectedly'),
    failed('timeout exceeded when trying to connect'),
  ])('is true for $message', (error) => {
    expect(isOutage(error)).toBe(true);
  });

  it.each([
    failed('invalid input syntax for type bigint', '22P02'),
    failed('duplicate key value violates unique constraint', '23505'),
    failed('canceling statement due to statement timeout', '57014'),
    failed('column "x" does not exist', '42703'),
    new TypeError('cannot read what is not there'),
    new SyntaxError('Unexpected token'),
    'ECONNRESET',
    null,
  ])('is false for %s', (error) => {
    expect(isOutage(error)).toBe(false);
  });
});
