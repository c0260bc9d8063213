/** A page with a form, as data for the template of whoever shows it; all of it is text that the template escapes. */
export interface FormPage {
  title: string;
  text?: string;
  alert?: string;
  facts?: { name: string; value: string; copy?: boolean }[];
  form?: FormView;
  links?: { href: string; text: string }[];
}

export interface FormView {
  action: string;
  button: string;
  hidden: [name: string, value: string][];
  /** The ways to pay to choose from. */
  ways: { href: string; name: string; current: boolean }[];
  fields: FieldView[];
  /** Above the button. */
  note?: string;
}

export interface FieldView {
  name: string;
  label: string;
  value: string;
  type: string;
  required: boolean;
  mode?: string;
  autocomplete?: string;
  hint?: string;
  problem?: string;
  describedBy?: string;
  options?: readonly string[];
  /** Several lines. */
  isLong?: boolean;
  /** A box to tick, and whether it is. */
  isTicked?: boolean;
}
