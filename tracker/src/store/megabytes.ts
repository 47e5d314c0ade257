export const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MB`;
