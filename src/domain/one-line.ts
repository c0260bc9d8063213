/**
 * What a name and other words on one line consist of: anything but control characters, and those that turn the direction
 * of what follows. A name must not look like another, or like more than a name.
 */
export const ONE_LINE = /^[^\p{Cc}\u2028-\u202e\u2066-\u2069]*$/u;
