import { closestName } from '../../lib/closest-name.ts';

/** Shorter names have too many neighbours among the variables of other programs, such as PATH for PORT. */
const MIN_LENGTH = 7;

/** One line for each variable that is one or two letters away from one of ours that is not set. */
export function listMisspelt(
  environment: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): readonly string[] {
  const unset = names.filter((name) => name.length >= MIN_LENGTH && environment[name] === undefined);
  if (unset.length === 0) return [];
  return Object.keys(environment).flatMap((written) => {
    if (written.length < MIN_LENGTH || names.includes(written)) return [];
    const meant = closestName(written, unset);
    return meant === null ? [] : [`${written} is no variable of Countersign: did you mean ${meant}?`];
  });
}
