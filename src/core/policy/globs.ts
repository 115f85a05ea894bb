/**
 * Compiles a glob for paths from the repository's root. `**` matches any number of whole directories (also none), `*`
 * any characters but a slash, `?` one character but a slash; the rest is literal and case-sensitive. Matching takes at
 * most the path's length times that of the longest piece between two stars.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  const steps = collapseStars(glob.split('/').map((name) => (name === '**' ? ANY_NUMBER : nameTest(name))));
  // A directory's own name does not match `dir/**`.
  const required = steps.at(-1) === ANY_NUMBER ? [...steps, () => true] : steps;
  return (path) => matchesSteps(required, path.split('/'));
}

function nameTest(pattern: string): (name: string) => boolean {
  if (!SPECIAL.test(pattern)) return (name) => name === pattern;
  const steps = collapseStars([...pattern].map(characterStep));
  const minLength = steps.filter((step) => step !== ANY_NUMBER).length;
  return (name) => name.length >= minLength && matchesSteps(steps, [...name]);
}

function characterStep(character: string): PatternStep {
  if (character === '*') return ANY_NUMBER;
  return character === '?' ? () => true : (other) => other === character;
}

/** One step of a pattern: any number of parts, or a test of the next part. */
type PatternStep = typeof ANY_NUMBER | ((part: string) => boolean);

const ANY_NUMBER = 'many';

const SPECIAL = /[*?]/;

/** Adjacent stars equal one star. */
function collapseStars(steps: readonly PatternStep[]): readonly PatternStep[] {
  return steps.filter((step, index) => step !== ANY_NUMBER || steps[index - 1] !== ANY_NUMBER);
}

/** Backtracks to the last star only; the match of an earlier star never needs to change. */
function matchesSteps(steps: readonly PatternStep[], parts: readonly string[]): boolean {
  let at = 0;
  let part = 0;
  let star = -1;
  let resume = 0;
  while (part < parts.length) {
    const step = steps[at];
    if (step === ANY_NUMBER) {
      star = at;
      resume = part;
      at += 1;
    } else if (step?.(parts[part] ?? '')) {
      at += 1;
      part += 1;
    } else if (star !== -1) {
      resume += 1;
      at = star + 1;
      part = resume;
    } else return false;
  }
  const remaining = steps.length - at;
  return remaining === 0 || (remaining === 1 && steps[at] === ANY_NUMBER);
}
