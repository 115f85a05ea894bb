/** A path or a part of one as file systems that ignore case and Unicode form see it; only for comparing. */
export function foldPath(path: string): string {
  return path.normalize('NFC').toUpperCase().toLowerCase();
}

/** Folds look-alikes too, for comparing with names that must not be touched: compatibility forms, and what is not seen. */
export function foldDisguise(part: string): string {
  return foldPath(part.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, ''));
}

/** A path and every directory above it, outermost first. */
export function pathAndParents(path: string): string[] {
  const paths: string[] = [];
  for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1))
    paths.push(path.slice(0, slash));
  return [...paths, path];
}
