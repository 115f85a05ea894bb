import type { TreeEntry } from './tree-object.ts';

/** How one path differs between two trees. `before` is absent on `added`, `after` on `removed`. */
export type FileChange =
  | { readonly status: 'added'; readonly path: string; readonly after: TreeEntry }
  | { readonly status: 'removed'; readonly path: string; readonly before: TreeEntry }
  | { readonly status: 'modified'; readonly path: string; readonly before: TreeEntry; readonly after: TreeEntry }
  | {
      readonly status: 'renamed';
      readonly path: string;
      readonly previousPath: string;
      readonly before: TreeEntry;
      readonly after: TreeEntry;
    };
