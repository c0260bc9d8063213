import type { ComponentType, ReactNode } from 'react';
import type { RaRecord } from 'react-admin';
import type { PathOf } from './server/api';
import type { Role } from './session/session';
import type { Words } from './words/words';

/** A kind of record that the console lists and shows. Its name is the first part of its address: `/console/<name>`. */
export interface Resource {
  name: string;
  /** The roles that see it in the menu. The API decides what they may do. */
  roles: readonly Role[];
  /** Under which heading of the menu; without it the menu does not show it. */
  group?: MenuGroup;
  icon?: ComponentType;
  /** Where its records come from. Its filters are that route's query parameters. */
  list: PathOf<'get'>;
  /** One record; its only path parameter is the record's id. Without it the console finds it in the list. */
  one?: PathOf<'get'>;
  /** The id of a record, unique in the list. */
  idOf(row: never): string;
  /** The answer has the record in `data`. */
  enveloped?: true;
  /** The route answers all its records at once: it takes no `limit`. */
  isWhole?: true;
  /** The route needs the header organizationId: somebody who sees several chooses one first. */
  needs?: 'organization' | 'tenant';
  pages: {
    list?: ComponentType;
    show?: ComponentType;
    create?: ComponentType;
    edit?: ComponentType;
  };
  /** How a record is called where there is room for a few words. */
  nameOf?(record: RaRecord): string;
}

/** A page that is not about the records of one list: `/console/<path>`. */
export interface Place {
  path: string;
  roles: readonly Role[];
  group?: MenuGroup;
  icon?: ComponentType;
  /** Key of its name in the words. */
  label: string;
  needs?: 'organization' | 'tenant';
  /** Without menu and bar. */
  isBare?: true;
  page: ReactNode;
}

/** The headings of the menu, in their order. */
export const MENU_GROUPS = ['money', 'selling', 'customers', 'tenant', 'operations', 'developers', 'account'] as const;
export type MenuGroup = (typeof MENU_GROUPS)[number];

/** A folder of the console: what it shows, and its words in every language. */
export interface Area {
  resources?: readonly Resource[];
  places?: readonly Place[];
  /** What a role sees first, below the heading of the overview. Several areas may each have a part. */
  home?: Partial<Record<Role, ComponentType>>;
  words: Words;
}
