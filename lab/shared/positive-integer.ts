import { OptionsError } from '../../src/cli/options.ts';

/** The number that an option has; throws for anything but a whole number from 1 to 999,999,999. */
export function readNumber(name: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new OptionsError(`--${name} must be a positive whole number.`);
  return Number(text);
}
