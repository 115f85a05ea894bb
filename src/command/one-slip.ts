/** Whether two different words are one slip apart: a letter too many, too few, another one, or two neighbours swapped. */
export function isOneSlip(one: string, other: string): boolean {
  if (one === other || Math.abs(one.length - other.length) > 1) return false;
  const start = sharedStart(one, other);
  const left = one.slice(start);
  const right = other.slice(start);
  if (left.length !== right.length) return left.slice(1) === right || left === right.slice(1);
  return left.slice(1) === right.slice(1) || isSwapped(left, right);
}

function isSwapped(left: string, right: string): boolean {
  return left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2);
}

function sharedStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
