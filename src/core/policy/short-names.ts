/**
 * Whether Windows can have given this short name (`PACKAG~1.JSO`) to a file or directory whose long name fits the
 * pattern, so that both are one there. Name and pattern are lower-case.
 */
export function canBeShortNameOf(name: string, pattern: string): boolean {
  const short = SHORT_NAME.exec(name)?.groups;
  if (short === undefined) return false;
  const { stem = '', number = '', extension = '' } = short;
  const long = longNameParts(pattern);
  return fitsExtension(extension, long) && (isStemOf(stem, number, long) || isHashedStemOf(stem, long));
}

/** Whether a part of a path has the form of a short name. */
export function hasShortName(path: string): boolean {
  return /~\d/.test(path);
}

const SHORT_NAME = /^(?<stem>[^~.]{1,6})~(?<number>\d{1,6})(?:\.(?<extension>[^~.]{1,3}))?$/;

/** The form of the long names that fit a pattern. */
type LongName = {
  /** The letters up to the first star, without those that a short name has not. */
  readonly start: string;
  /** The least number of letters before the extension. */
  readonly length: number;
  readonly extension: string;
  /** Whether more letters can follow those of `extension`. */
  readonly isOpen: boolean;
};

/** Dots in front are dropped, and what follows the last other dot is the extension. */
function longNameParts(pattern: string): LongName {
  const [, stem = '', ending = ''] = /^\.*(.*?)(?:\.([^.]*))?$/.exec(pattern) ?? [];
  const letters = stem.replace(/[. ]/g, '').replace(/[+,;=[\]]/g, '_');
  const [start = ''] = letters.split(WILDCARD);
  const [extension = ''] = ending.split(WILDCARD);
  const isOpen = WILDCARD.test(ending) || WILDCARD.test(pattern.slice(-1));
  return { start, length: letters.replaceAll('*', '').length, extension: extension.slice(0, 3), isOpen };
}

const WILDCARD = /[*?]/;

/** A pattern without any letter there and in front says nothing about short names: every one would fit it. */
function fitsExtension(short: string, { start, extension, isOpen }: LongName): boolean {
  if (start === '' && extension === '') return false;
  return isOpen ? short.startsWith(extension) : short === extension;
}

/** The first letters, as many as fit before the tilde and its number. */
function isStemOf(stem: string, number: string, { start, length }: LongName): boolean {
  return stem.length >= Math.min(length, MAX_LETTERS - number.length) && startsAlike(stem, start);
}

/** Together with a number. */
const MAX_LETTERS = 7;

/** From the fifth file with the same first letters on: two letters and a checksum. */
function isHashedStemOf(stem: string, { start }: LongName): boolean {
  return HASHED_STEM.test(stem) && startsAlike(stem.slice(0, -4), start);
}

const HASHED_STEM = /^.{1,2}[\da-f]{4}$/;

function startsAlike(stem: string, start: string): boolean {
  return stem.startsWith(start.slice(0, stem.length));
}
