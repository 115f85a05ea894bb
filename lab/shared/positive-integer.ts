import { optionsProblem } from '../../src/cli/options.ts';

/** The text of a whole number from 1 to 999,999,999. */
export const POSITIVE_INTEGER = /^[1-9]\d{0,8}$/;

/** The problem of the first option that is no positive whole number; null if there is none. */
export function findWrongNumber(options: Readonly<Record<string, string>>) {
  const wrong = Object.entries(options).find(([, value]) => !POSITIVE_INTEGER.test(value));
  return wrong === undefined ? null : optionsProblem(`--${wrong[0]} must be a positive whole number.`);
}
