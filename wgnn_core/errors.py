"""The one exception a user is meant to see."""


class WGNNError(ValueError):
    """A request that cannot be carried out.

    The message is one sentence that names the offending value and what is allowed. The
    command line prints it and exits with code 2; the app shows it in place of the result.
    """
