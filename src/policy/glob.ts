/**
 * Whether a glob matches a path, from the repository's root. `**` stands for any number of whole directories (none
 * included), `*` for any letters but a slash, `?` for one letter but a slash; all else is itself, case included.
 * Never takes more than the product of both lengths.
 */
export function matchesGlob(glob: string, path: string): boolean {
  return matchesParts(glob.split('/'), path.split('/'), {
    isMany: (part) => part === '**',
    matches: matchesName,
    leastAtEnd: 1,
  });
}

function matchesName(pattern: string, name: string): boolean {
  return matchesParts([...pattern], [...name], {
    isMany: (letter) => letter === '*',
    matches: (letter, other) => letter === '?' || letter === other,
    leastAtEnd: 0,
  });
}

/** How one kind of part is compared; `leastAtEnd` is how much a star at the very end must stand for. */
type Rules = {
  readonly isMany: (pattern: string) => boolean;
  readonly matches: (pattern: string, part: string) => boolean;
  readonly leastAtEnd: 0 | 1;
};

/** Goes back to the last star only: what an earlier one took can stay as it is. */
function matchesParts(patterns: readonly string[], parts: readonly string[], rules: Rules): boolean {
  let at = 0;
  let part = 0;
  let star = -1;
  let resume = 0;
  while (part < parts.length) {
    const pattern = patterns[at];
    if (pattern !== undefined && rules.isMany(pattern)) {
      star = at;
      resume = part;
      at += 1;
    } else if (pattern !== undefined && rules.matches(pattern, parts[part] ?? '')) {
      at += 1;
      part += 1;
    } else if (star !== -1) {
      resume += 1;
      at = star + 1;
      part = resume;
    } else return false;
  }
  const left = patterns.slice(at);
  return left.every(rules.isMany) && left.length * rules.leastAtEnd === 0;
}
