/** One step of a pattern: any number of parts, or a test of the next one. */
type Step = typeof MANY | ((part: string) => boolean);

const MANY = 'many';
const SPECIAL = /[*?]/;

/**
 * What tells whether a path, from the repository's root, matches a glob. `**` stands for any number of whole
 * directories (none included), `*` for any letters but a slash, `?` for one letter but a slash; all else is itself,
 * case included. The glob is read here once; a path then takes no more than its length times that of the longest
 * piece between two stars.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  const steps = oneOfMany(glob.split('/').map((name) => (name === '**' ? MANY : nameTest(name))));
  // A directory's own name is not one of the files below it.
  const needed = steps.at(-1) === MANY ? [...steps, () => true] : steps;
  return (path) => matchesSteps(needed, path.split('/'));
}

function nameTest(pattern: string): (name: string) => boolean {
  if (!SPECIAL.test(pattern)) return (name) => name === pattern;
  const steps = oneOfMany([...pattern].map(letterStep));
  const least = steps.filter((step) => step !== MANY).length;
  return (name) => name.length >= least && matchesSteps(steps, [...name]);
}

function letterStep(letter: string): Step {
  if (letter === '*') return MANY;
  return letter === '?' ? () => true : (other) => other === letter;
}

/** Stars side by side stand for no more than one does. */
function oneOfMany(steps: readonly Step[]): readonly Step[] {
  return steps.filter((step, index) => step !== MANY || steps[index - 1] !== MANY);
}

/** Goes back to the last star only: what an earlier one took can stay as it is. */
function matchesSteps(steps: readonly Step[], parts: readonly string[]): boolean {
  let at = 0;
  let part = 0;
  let star = -1;
  let resume = 0;
  while (part < parts.length) {
    const step = steps[at];
    if (step === MANY) {
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
  const left = steps.length - at;
  return left === 0 || (left === 1 && steps[at] === MANY);
}
