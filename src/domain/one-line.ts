/**
 * What a name and other words on one line consist of: anything but control characters, and those that turn the direction
 * of what follows. A name must not look like another, or like more than a name.
 *
 * The pattern stands in the API document, and not every language knows \p{Cc}: so the characters are spelled out.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
export const ONE_LINE = /^[^\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]*$/u;
