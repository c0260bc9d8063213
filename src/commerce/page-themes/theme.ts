import { DomainError, type FieldError } from '../../domain/errors';
import { type Colour, contrast, READABLE, readableOn } from './colour';

/** One row of `page_themes`. What is null looks as it does without a theme. */
export interface PageThemeRow {
  tenant_id: string;
  /** Under which the tenant is known to buyers. */
  name: string | null;
  /** Of buttons and links. */
  accent: Colour | null;
  /** Behind the page. */
  ground: Colour | null;
  /** WebP. */
  logo: Buffer | null;
  /** Another logo has another. */
  readonly logo_digest: string | null;
  updated_by: string;
  updated_at: Date;
}

export interface ThemeOrder {
  name: string | null;
  accent: Colour | null;
  ground: Colour | null;
}

/** The colours of the page without a theme; `page.css` has the same. */
export const PLAIN = {
  light: { accent: '#1d4ed8', ground: '#f2f4f7', paper: '#ffffff', ink: '#1a2433' },
  dark: { accent: '#8fb0ff', ground: '#11161e', paper: '#1c2430', ink: '#e8ecf2' },
} as const satisfies Record<string, Record<string, Colour>>;

/** Throws `invalid_request` for colours that buyers could not read. */
export function requireReadable({ accent, ground }: Pick<ThemeOrder, 'accent' | 'ground'>): void {
  const { paper, ink } = PLAIN.light;
  const behind = ground ?? PLAIN.light.ground;
  const pairs: [field: string, one: Colour, other: Colour, what: string][] = [
    ['accent', accent ?? PLAIN.light.accent, paper, 'white'],
    [accent ? 'accent' : 'ground', accent ?? PLAIN.light.accent, behind, 'the ground'],
    ['ground', ink, behind, 'the text'],
  ];
  const wrong = pairs.flatMap(([field, one, other, what]): FieldError[] => {
    const ratio = contrast(one, other);
    const message = `has a contrast of ${ratio.toFixed(2)} with ${what}; it has to be ${READABLE} or more`;
    return ratio < READABLE ? [{ field, message }] : [];
  });
  const [first] = wrong;
  if (first) throw new DomainError('invalid_request', `${first.field} ${first.message}`, { details: wrong });
}

/** The colours that a theme sets, for light and for dark screens. The dark accent is made from the light one. */
export function paletteOf({ accent, ground }: Pick<PageThemeRow, 'accent' | 'ground'>) {
  const { dark, light } = PLAIN;
  return {
    light: { accent: accent ?? light.accent, onAccent: light.paper, ground: ground ?? light.ground },
    dark: {
      accent: accent ? readableOn(accent, [dark.paper, dark.ground], '#ffffff') : dark.accent,
      onAccent: dark.ground,
      ground: dark.ground,
    },
  };
}
