"""Workers: our own functions, run in processes of their own and spoken with through pipes."""
